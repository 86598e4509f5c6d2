import { RlpError } from "../../codec/rlp/item.ts";
import { expectMore, within } from "../../codec/rlp/location.ts";
import type { RlpReader } from "../../codec/rlp/reader.ts";
import { CURVE_ORDER } from "../../crypto/curve.ts";
import { bigintToBytes, bytesToBigint, compareBytes, leftPad } from "../../primitives/bytes.ts";
import { TransactionError } from "../errors.ts";
import type { Signature, Transaction } from "../transaction.ts";
import { isEnveloped, type TransactionType, TypeCode } from "../types.ts";
import type { Wire } from "../wire.ts";

/** Order of the group of secp256k1, and half of it. @see SEC 2, section 2.4.1; EIP-2 for the half */
const ORDER = bigintToBytes(CURVE_ORDER);
const HALF_ORDER = bigintToBytes(CURVE_ORDER / 2n);

/**
 * A signature read from the wire. It keeps the bytes and converts `r` and `s` to integers on demand: a block's
 * signatures are recovered from bytes, and 256-bit integers would cost more than all other fields together.
 */
class WireSignature implements Signature {
  readonly v: bigint;
  readonly #r: Uint8Array;
  readonly #s: Uint8Array;

  constructor(v: bigint, r: Uint8Array, s: Uint8Array) {
    this.v = v;
    this.#r = r;
    this.#s = s;
  }

  get r(): bigint {
    return bytesToBigint(this.#r);
  }

  get s(): bigint {
    return bytesToBigint(this.#s);
  }

  /** r and s without leading zeros. */
  static scalars(signature: Signature): { readonly r: Uint8Array; readonly s: Uint8Array } {
    if (signature instanceof WireSignature) return { r: signature.#r, s: signature.#s };
    return { r: bigintToBytes(signature.r), s: bigintToBytes(signature.s) };
  }
}

/** The 64 bytes r ‖ s that recovery takes. @throws RangeError when a scalar has more than 256 bits */
export function signatureBytes(signature: Signature): Uint8Array {
  const { r, s } = WireSignature.scalars(signature);
  if (r.length > 32 || s.length > 32) return Uint8Array.from([...leftPad(r, 32), ...leftPad(s, 32)]);
  const out = new Uint8Array(64);
  out.set(r, 32 - r.length);
  out.set(s, 64 - s.length);
  return out;
}

/** Reads v, r and s at the reader's position, as members of the enclosing list. */
export function readScalars(reader: RlpReader, type: string): Signature {
  const v = readMember(reader, type, "V", readInteger);
  const r = readMember(reader, type, "R", readScalar);
  return new WireSignature(v, r, readMember(reader, type, "S", readScalar));
}

function readMember<T>(reader: RlpReader, type: string, name: string, read: (reader: RlpReader) => T): T {
  expectMore(reader, type);
  try {
    return read(reader);
  } catch (error) {
    throw within(error, `.${name}`);
  }
}

function readInteger(reader: RlpReader): bigint {
  return reader.uint();
}

function readScalar(reader: RlpReader): Uint8Array {
  const value = reader.bytes("*big.Int");
  if (value[0] !== 0) return value;
  const text = "rlp: non-canonical integer (leading zero bytes) for *big.Int";
  throw new RlpError("RLP_NOT_CANONICAL", text);
}

/** The wire form of one signature: `[v, r, s]`. */
export const signatureWire: Wire<Signature> = {
  read(reader) {
    reader.enterList("types.TxSignature");
    const signature = readScalars(reader, "types.TxSignature");
    reader.leaveList();
    return signature;
  },
  item(signature) {
    const { r, s } = WireSignature.scalars(signature);
    return [bigintToBytes(signature.v), r, s];
  },
};

/** Whether 0 < r, s < n, and with `low` also s ≤ n/2. */
export function isScalarPair(signature: Signature, low: boolean): boolean {
  const { r, s } = WireSignature.scalars(signature);
  return isBelow(r, ORDER) && (low ? s.length > 0 && !isBelow(HALF_ORDER, s) : isBelow(s, ORDER));
}

/** Whether 0 < a < b for integers without leading zeros. */
function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return a.length > 0 && a.length < b.length;
  return compareBytes(a, b) < 0;
}

/** Chain id that an EIP-155 `v` carries; 0 for the unprotected 27 and 28. Below 35 it wraps, as in the reference. */
export function chainIdOfV(v: bigint): bigint {
  if (v === 27n || v === 28n) return 0n;
  return v < 35n ? BigInt.asUintN(64, v - 35n) >> 1n : (v - 35n) >> 1n;
}

/** Whether a legacy transaction has an unprotected signature (before EIP-155), which is valid on every chain. */
export function isUnprotected({ type, signatures }: Pick<Transaction, "type" | "signatures">): boolean {
  if (type.code !== TypeCode.legacy) return false;
  const v = signatures[0]?.v;
  return v === 27n || v === 28n;
}

/** The error for an impossible signature. */
export function invalidSignature(details: Record<string, unknown> = {}): TransactionError {
  return new TransactionError("TX_SIGNATURE", "invalid transaction v, r, s values", details);
}

/**
 * Checks the sender's signatures as far as possible without the chain: presence, ranges, one chain id.
 * The fee payer's are left to recovery, as in the reference.
 * @throws TransactionError `TX_SIGNATURE`
 */
export function checkSignatures({ type, signatures }: Pick<Transaction, "type" | "signatures">): void {
  const first = signatures[0];
  if (first === undefined) throw invalidSignature();
  if (type.ethereum) {
    if (!isPlausible(type, first)) throw invalidSignature();
    return;
  }
  const chainId = chainIdOfV(first.v);
  for (const signature of signatures) {
    if (!isPlausible(type, signature) || chainIdOfV(signature.v) !== chainId) throw invalidSignature();
  }
}

function isPlausible(type: TransactionType, signature: Signature): boolean {
  if (isEnveloped(type)) return BigInt.asUintN(8, signature.v) < 2n && isScalarPair(signature, false);
  const { v } = signature;
  return v > 1n && isScalarPair(signature, v === 27n || v === 28n);
}
