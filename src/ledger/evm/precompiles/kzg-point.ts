import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import { bytesToBigint, concat } from "../../../protocol/primitives/bytes.ts";
import { blsCurve } from "./curves.ts";
import { NOT_CANONICAL } from "./define.ts";

/** A commitment or a proof. */
export type Point = WeierstrassPoint<bigint>;

/** For a number that is not below the order of the group, in the words of the reference. */
export const SCALAR_NOT_CANONICAL = "scalar is not canonical when interpreted as a big integer in big-endian";
/** For a proof that does not fit what it is about, in the words of the reference. */
export const WRONG_OPENING = "can't verify opening proof";

/** What the three highest bits of a compressed point say. */
const COMPRESSED = 0b100;
const COMPRESSED_INFINITY = 0b110;
const NO_MEANING: readonly number[] = [0b001, 0b011, 0b111];

/** A compressed point of the subgroup, 48 bytes. @throws Error for anything else, in the words of the reference */
export function decodePoint(bytes: Uint8Array): Point {
  const { Point } = blsCurve().bls12_381.G1;
  const head = bytes[0] as number;
  const flags = head >>> 5;
  if (NO_MEANING.includes(flags)) throw new Error("invalid point encoding");
  if (flags < COMPRESSED) throw new Error("short buffer");
  const x = bytesToBigint(concat(Uint8Array.of(head & 0x1f), bytes.subarray(1)));
  if (flags === COMPRESSED_INFINITY && x !== 0n) throw new Error("invalid infinity point encoding");
  if (flags === COMPRESSED_INFINITY) return Point.ZERO;
  if (!Point.Fp.isValid(x)) throw new Error(NOT_CANONICAL);
  if (!isAbscissa(x)) throw new Error("invalid compressed coordinate: square root doesn't exist");
  try {
    return Point.fromBytes(bytes);
  } catch {
    throw new Error("invalid point: subgroup check failed");
  }
}

/** Whether the curve has points with this x. */
function isAbscissa(x: bigint): boolean {
  const { Fp, CURVE } = blsCurve().bls12_381.G1.Point;
  try {
    Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), CURVE().b));
    return true;
  } catch {
    return false;
  }
}
