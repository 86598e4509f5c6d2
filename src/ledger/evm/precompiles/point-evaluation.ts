import { createHash } from "node:crypto";
import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import { bytesToBigint, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { productIsOne } from "./bls-pairing.ts";
import type { Fp2 } from "./bls-points.ts";
import { blsCurve } from "./curves.ts";
import { flat, pure } from "./define.ts";

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

let setupG2: WeierstrassPoint<Fp2> | undefined;

/**
 * Checks that a committed polynomial has a value at a point (address 0x0a from cancun).
 * Input: versioned hash (32), point (32), value (32), commitment (48), proof (48).
 * @see EIP-4844
 */
export const pointEvaluation = pure("KZG_POINT_EVALUATION", flat(50_000, 2_200_000), (input) => {
  if (input.length !== 192) return undefined;
  const commitment = input.subarray(96, 144);
  if (!equalBytes(versionedHash(commitment), input.subarray(0, 32))) return undefined;
  try {
    const point = scalar(input.subarray(32, 64));
    const value = scalar(input.subarray(64, 96));
    return verify(commitment, point, value, input.subarray(144)) ? ANSWER.slice() : undefined;
  } catch {
    return undefined;
  }
});

/** e(C − y·G₁ + z·π, G₂) · e(−π, τ·G₂) = 1, the usual equation with both products by scalars in the cheaper group. */
function verify(commitment: Uint8Array, z: bigint, y: bigint, proofBytes: Uint8Array): boolean {
  const { G1, G2 } = blsCurve().bls12_381;
  setupG2 ??= G2.Point.fromHex(SETUP_G2.slice(2));
  const proof = G1.Point.fromBytes(proofBytes);
  const left = G1.Point.fromBytes(commitment)
    .subtract(G1.Point.BASE.multiplyUnsafe(y))
    .add(proof.multiplyUnsafe(z));
  return productIsOne([
    { g1: left, g2: G2.Point.BASE },
    { g1: proof.negate(), g2: setupG2 },
  ]);
}

/** @throws Error when the number is not below the order of the group */
function scalar(bytes: Uint8Array): bigint {
  const value = bytesToBigint(bytes);
  if (!blsCurve().bls12_381.fields.Fr.isValid(value)) throw new Error("scalar not below the order");
  return value;
}

function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(createHash("sha256").update(commitment).digest());
  hash[0] = KZG_VERSION;
  return hash;
}
