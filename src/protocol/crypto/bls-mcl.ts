import {
  isBlsSecretKey,
  KEY_BYTES,
  POSSESSION_TAG,
  SIGNATURE_BYTES,
  SIGNATURE_TAG,
} from "./bls-constants.ts";
import type { Bls } from "./bls-interface.ts";
import { bls12381, GENERATOR_G1 } from "./mcl/bls12-381.ts";
import type { Group, PointAddress } from "./mcl/group.ts";

const FIELD_BYTES = 48;
/** Flags in the three highest bits of a compressed point, besides the sign of y: compressed, and not infinity. */
const COMPRESSED = 0b10;
const HEAD_BITS = 0x1f;

/** Addresses of points in the curve's memory. */
interface Points {
  readonly key: PointAddress;
  readonly signature: PointAddress;
  /** The negative generator of the first group. */
  readonly generator: PointAddress;
}

let points: Points | undefined;

/**
 * The scheme's operations with mcl in WebAssembly, instantiated at the first of them: ten times as fast as the portable library, and
 * equally strict. Multiplications by secrets take constant time.
 */
export function createMclBls(): Bls {
  return {
    publicKey: (secretKey) => publicKeyOf(secretKey),
    sign: (message, secretKey) => sign(message, secretKey, SIGNATURE_TAG),
    verify: (signature, message, publicKey) => verify(signature, message, publicKey, SIGNATURE_TAG),
    provePossession: (secretKey) => sign(publicKeyOf(secretKey), secretKey, POSSESSION_TAG),
    verifyPossession: (proof, publicKey) => verify(proof, publicKey, publicKey, POSSESSION_TAG),
  };
}

function publicKeyOf(secretKey: Uint8Array): Uint8Array {
  const { g1 } = bls12381();
  const { key, generator } = placed();
  checkSecret(secretKey);
  g1.copy(key, generator);
  g1.negate(key);
  g1.multiplyBySecret(key, secretKey);
  return g1.writeCompressed(key);
}

function sign(message: Uint8Array, secretKey: Uint8Array, tag: Uint8Array): Uint8Array {
  const curve = bls12381();
  checkSecret(secretKey);
  const point = curve.hashToG2(message, tag);
  curve.g2.multiplyBySecret(point, secretKey);
  return curve.g2.writeCompressed(point);
}

/** Whether e(key, H(message)) · e(−G₁, signature) = 1, for a key and a signature of the groups. */
function verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array, tag: Uint8Array): boolean {
  const curve = bls12381();
  const { g1, g2 } = curve;
  const at = placed();
  const isRead =
    readMember(g1, at.key, publicKey, KEY_BYTES) && readMember(g2, at.signature, signature, SIGNATURE_BYTES);
  if (!isRead) return false;
  const hash = curve.hashToG2(message, tag);
  const readPair = (index: number, p: PointAddress, q: PointAddress) => {
    g1.copy(p, index === 0 ? at.key : at.generator);
    g2.copy(q, index === 0 ? hash : at.signature);
  };
  return curve.productIsOne(2, readPair, () => undefined);
}

/** Reads a compressed point of a subgroup. @returns whether it is one, and not infinity, which is nobody's key and no signature */
function readMember(group: Group, point: PointAddress, bytes: Uint8Array, size: number): boolean {
  const [head] = bytes;
  if (bytes.length !== size || head === undefined || head >> 6 !== COMPRESSED) return false;
  const x = Uint8Array.from(bytes); // a Buffer's `slice` would share its memory
  x[0] = head & HEAD_BITS;
  for (let i = 0; i < size; i += FIELD_BYTES)
    if (!bls12381().isCanonical(x.subarray(i, i + FIELD_BYTES))) return false;
  return group.readCompressed(point, bytes) && group.inSubgroup(point);
}

/** @throws Error when a secret key is zero or too large */
function checkSecret(secretKey: Uint8Array): void {
  if (!isBlsSecretKey(secretKey)) throw new Error("a BLS secret key out of range");
}

function placed(): Points {
  if (points !== undefined) return points;
  const { g1, g2 } = bls12381();
  const [key, signature, generator] = [g1.allocate(1), g2.allocate(1), g1.allocate(1)];
  g1.readCompressed(generator, GENERATOR_G1);
  g1.negate(generator);
  points = { key, signature, generator };
  return points;
}
