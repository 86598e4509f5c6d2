import { createHash } from "node:crypto";
import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import { bytesToBigint, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { vmError } from "../failures.ts";
import { productIsOne } from "./bls-pairing.ts";
import type { Fp2 } from "./bls-points.ts";
import { blsCurve } from "./curves.ts";
import { flat, pure, WRONG_LENGTH } from "./define.ts";
import { decodePoint, type Point, SCALAR_NOT_CANONICAL, WRONG_OPENING } from "./kzg-point.ts";

/** First byte of a versioned hash of a KZG commitment. */
const KZG_VERSION = 1;

/** The secret point times the generator of the second group, from the ceremony of EIP-4844 (2023). */
const SETUP_G2 =
  "0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d" +
  "2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2" +
  "3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

/** What a successful run answers: the number of field elements in a blob and the order of the field. */
const ANSWER = hexToBytes(
  "0x0000000000000000000000000000000000000000000000000000000000001000" +
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
);

/** For a hash that is not that of the commitment. */
const WRONG_VERSION = vmError("mismatched versioned hash");

let setupG2: WeierstrassPoint<Fp2> | undefined;

/**
 * Checks that a committed polynomial has a value at a point (address 0x0a from cancun).
 * Input: versioned hash (32), point (32), value (32), commitment (48), proof (48).
 * @see EIP-4844
 */
export const pointEvaluation = pure("KZG_POINT_EVALUATION", flat(50_000, 2_200_000), (input) => {
  if (input.length !== 192) return WRONG_LENGTH;
  const commitment = input.subarray(96, 144);
  if (!equalBytes(versionedHash(commitment), input.subarray(0, 32))) return WRONG_VERSION;
  try {
    const value = scalar(input.subarray(64, 96));
    const point = scalar(input.subarray(32, 64));
    verify(decodePoint(commitment), point, value, decodePoint(input.subarray(144)));
    return ANSWER.slice();
  } catch (error) {
    return vmError(`error verifying kzg proof: ${error instanceof Error ? error.message : error}`);
  }
});

/**
 * e(C − y·G₁ + z·π, G₂) · e(−π, τ·G₂) = 1, the usual equation with both products by scalars in the cheaper group.
 * @throws Error when it does not hold
 */
function verify(commitment: Point, z: bigint, y: bigint, proof: Point): void {
  const { G1, G2 } = blsCurve().bls12_381;
  setupG2 ??= G2.Point.fromHex(SETUP_G2.slice(2));
  const left = commitment.subtract(G1.Point.BASE.multiplyUnsafe(y)).add(proof.multiplyUnsafe(z));
  const holds = productIsOne([
    { g1: left, g2: G2.Point.BASE },
    { g1: proof.negate(), g2: setupG2 },
  ]);
  if (!holds) throw new Error(WRONG_OPENING);
}

/** @throws Error when the number is not below the order of the group */
function scalar(bytes: Uint8Array): bigint {
  const value = bytesToBigint(bytes);
  if (!blsCurve().bls12_381.fields.Fr.isValid(value)) throw new Error(SCALAR_NOT_CANONICAL);
  return value;
}

function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(createHash("sha256").update(commitment).digest());
  hash[0] = KZG_VERSION;
  return hash;
}
