import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bigintToFixedBytes, concat } from "../../../../src/protocol/primitives/bytes.ts";

/** Field prime of bn254. */
export const BN_FIELD: bigint = bn254.fields.Fp.ORDER;
/** Group order of bn254. */
export const BN_ORDER: bigint = bn254.fields.Fr.ORDER;
/** Field prime of BLS12-381. */
export const BLS_FIELD: bigint = bls12_381.fields.Fp.ORDER;
/** Group order of BLS12-381. */
export const BLS_ORDER: bigint = bls12_381.fields.Fr.ORDER;

/** A multiple of bn254's generator of the first group, 64 bytes. */
export function bnG1(factor: bigint): Uint8Array {
  if (factor === 0n) return new Uint8Array(64);
  const { x, y } = bn254.G1.Point.BASE.multiply(mod(factor, BN_ORDER)).toAffine();
  return concat(fixed(x, 32), fixed(y, 32));
}

/** A multiple of bn254's generator of the second group, 128 bytes, imaginary parts first. @see EIP-197 */
export function bnG2(factor: bigint): Uint8Array {
  if (factor === 0n) return new Uint8Array(128);
  const { x, y } = bn254.G2.Point.BASE.multiply(mod(factor, BN_ORDER)).toAffine();
  return concat(fixed(x.c1, 32), fixed(x.c0, 32), fixed(y.c1, 32), fixed(y.c0, 32));
}

/** A multiple of BLS12-381's generator of the first group, 128 bytes. @see EIP-2537 */
export function blsG1(factor: bigint): Uint8Array {
  if (factor === 0n) return new Uint8Array(128);
  const { x, y } = bls12_381.G1.Point.BASE.multiply(mod(factor, BLS_ORDER)).toAffine();
  return concat(fixed(x, 64), fixed(y, 64));
}

/** A multiple of BLS12-381's generator of the second group, 256 bytes. @see EIP-2537 */
export function blsG2(factor: bigint): Uint8Array {
  if (factor === 0n) return new Uint8Array(256);
  const { x, y } = bls12_381.G2.Point.BASE.multiply(mod(factor, BLS_ORDER)).toAffine();
  return concat(fixed(x.c0, 64), fixed(x.c1, 64), fixed(y.c0, 64), fixed(y.c1, 64));
}

/** A point of BLS12-381's first curve outside the group, 128 bytes. */
export function blsOutsider(): Uint8Array {
  const { Fp } = bls12_381.fields;
  for (let x = 4n; ; x++) {
    const square = Fp.add(Fp.pow(x, 3n), 4n);
    if (Fp.pow(square, (BLS_FIELD - 1n) / 2n) !== 1n) continue;
    const point = bls12_381.G1.Point.fromAffine({ x, y: Fp.sqrt(square) });
    if (!point.isTorsionFree()) return concat(fixed(x, 64), fixed(Fp.sqrt(square), 64));
  }
}

/**
 * Input of the point evaluation precompile for a constant polynomial: its commitment is that multiple of the generator, its proof
 * the point at infinity. @see EIP-4844
 */
export function constantPolynomial(value: bigint, z: bigint, claimed = value): Uint8Array {
  const { BASE, ZERO } = bls12_381.G1.Point;
  const commitment = (value === 0n ? ZERO : BASE.multiply(value)).toBytes(true);
  return concat(versionedHash(commitment), fixed(z, 32), fixed(claimed, 32), commitment, ZERO.toBytes(true));
}

/** Hash of a KZG commitment with its version. @see EIP-4844 */
export function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = sha256(commitment);
  hash[0] = 1;
  return hash;
}

function fixed(value: bigint, size: number): Uint8Array {
  return bigintToFixedBytes(value, size);
}

function mod(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}
