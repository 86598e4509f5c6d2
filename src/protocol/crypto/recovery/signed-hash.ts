import { bytesToBigint } from "../../primitives/bytes.ts";
import { CURVE_ORDER } from "../curve.ts";

const FIELD = 2n ** 256n - 2n ** 32n - 977n;

/** A signature and the signed hash. */
export interface SignedHash {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** r and s, 32 bytes each. */
  readonly rs: Uint8Array;
  /** Bit 0: parity of R's y; bit 1: R's x is r + n. */
  readonly recid: number;
  /** Who is said to have signed, such as an address. Only tells which key to try first: the result is the same without. */
  readonly by?: Uint8Array | undefined;
}

/** A signature whose scalars are in range. */
export interface Possible {
  /** Its place in the list it is from. */
  readonly index: number;
  readonly signed: SignedHash;
  readonly r: bigint;
  readonly s: bigint;
  /** The hash as a number; may be the order or more. */
  readonly z: bigint;
}

/** Undefined if r or s is not a scalar, or R's x is not below the field's order. */
export function asNumbers(signed: SignedHash, index: number): Possible | undefined {
  const { hash, rs, recid } = signed;
  if (hash.length !== 32 || rs.length !== 64 || recid < 0 || recid > 3) return undefined;
  const r = bytesToBigint(rs, 0, 32);
  const s = bytesToBigint(rs, 32);
  if (r === 0n || r >= CURVE_ORDER || s === 0n || s >= CURVE_ORDER || (recid > 1 && r + CURVE_ORDER >= FIELD))
    return undefined;
  return { index, signed, r, s, z: bytesToBigint(hash) };
}
