import { createHash } from "node:crypto";
import { KZG_VERSION } from "../../../protocol/block/blob-gas.ts";
import { bls12381, GENERATOR_G1 } from "../../../protocol/crypto/mcl/bls12-381.ts";
import type { PointAddress } from "../../../protocol/crypto/mcl/group.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { vmError } from "../failures.ts";
import { flat, InvalidInput, pure, WRONG_LENGTH } from "./define.ts";
import { decodeCompressed, SCALAR_NOT_CANONICAL, WRONG_OPENING } from "./kzg-point.ts";

/** τ·G₂ of the trusted setup of EIP-4844 (2023). */
const SETUP_G2 =
  "0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d" +
  "2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2" +
  "3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2";

/** Output of a successful run: the number of field elements in a blob and the order of the field. */
const ANSWER = hexToBytes(
  "0x0000000000000000000000000000000000000000000000000000000000001000" +
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001",
);

/** Failure for a versioned hash that is not that of the commitment. */
const WRONG_VERSION = vmError("mismatched versioned hash");

/** The generator of the second group, compressed. @see draft-irtf-cfrg-pairing-friendly-curves-11, section 4.2.1 */
const GENERATOR_G2 =
  "0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049" +
  "334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051" +
  "c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";

/** Order of both groups. */
const GROUP_ORDER = ANSWER.subarray(32);

/** Addresses of points in the curve's memory. */
interface Points {
  readonly generatorG1: PointAddress;
  readonly generatorG2: PointAddress;
  readonly setupG2: PointAddress;
  readonly commitment: PointAddress;
  readonly proof: PointAddress;
  readonly left: PointAddress;
  readonly product: PointAddress;
}

let points: Points | undefined;

/**
 * Verifies a KZG proof that a committed polynomial has a value at a point (address 0x0a from cancun).
 * Input: versioned hash (32), point (32), value (32), commitment (48), proof (48).
 * @see EIP-4844
 */
export const pointEvaluation = pure("KZG_POINT_EVALUATION", flat(50_000, 2_200_000), (input, context) => {
  if (input.length !== 192) return WRONG_LENGTH;
  const commitment = input.subarray(96, 144);
  if (!equalBytes(versionedHash(commitment), input.subarray(0, 32))) return WRONG_VERSION;
  points ??= allocatePoints();
  try {
    const value = scalar(input.subarray(64, 96));
    const point = scalar(input.subarray(32, 64));
    decodeCompressed(points.commitment, commitment);
    decodeCompressed(points.proof, input.subarray(144));
    if (!isValidProof(points, point, value, context.checkDeadline)) throw new InvalidInput(WRONG_OPENING);
    return ANSWER.slice();
  } catch (error) {
    if (error instanceof InvalidInput) return vmError(`error verifying kzg proof: ${error.message}`);
    throw error;
  }
});

/** Whether e(C − y·G₁ + z·π, G₂) · e(−π, τ·G₂) = 1: the usual equation, with both scalar multiplications in the cheaper group. */
function isValidProof(at: Points, z: Uint8Array, y: Uint8Array, checkDeadline: () => void): boolean {
  const curve = bls12381();
  const { g1, g2 } = curve;
  g1.copy(at.left, at.generatorG1);
  g1.multiply(at.left, y);
  g1.negate(at.left);
  g1.add(at.left, at.commitment);
  g1.copy(at.product, at.proof);
  g1.multiply(at.product, z);
  g1.add(at.left, at.product);
  g1.negate(at.proof);
  const readPair = (index: number, p: PointAddress, q: PointAddress) => {
    g1.copy(p, index === 0 ? at.left : at.proof);
    g2.copy(q, index === 0 ? at.generatorG2 : at.setupG2);
  };
  return curve.productIsOne(2, readPair, checkDeadline);
}

function allocatePoints(): Points {
  const { g1, g2 } = bls12381();
  const allocated = {
    generatorG1: g1.allocate(1),
    generatorG2: g2.allocate(1),
    setupG2: g2.allocate(1),
    commitment: g1.allocate(1),
    proof: g1.allocate(1),
    left: g1.allocate(1),
    product: g1.allocate(1),
  };
  g1.readCompressed(allocated.generatorG1, GENERATOR_G1);
  g2.readCompressed(allocated.generatorG2, hexToBytes(GENERATOR_G2));
  g2.readCompressed(allocated.setupG2, hexToBytes(SETUP_G2));
  return allocated;
}

/** @throws InvalidInput when the number is not below the order of the group */
function scalar(bytes: Uint8Array): Uint8Array {
  const at = bytes.findIndex((byte, i) => byte !== GROUP_ORDER[i]);
  if (at >= 0 && (bytes[at] as number) < (GROUP_ORDER[at] as number)) return bytes;
  throw new InvalidInput(SCALAR_NOT_CANONICAL);
}

function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = Uint8Array.from(createHash("sha256").update(commitment).digest());
  hash[0] = KZG_VERSION;
  return hash;
}
