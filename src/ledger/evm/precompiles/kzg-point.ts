import { bls12381 } from "../../../protocol/crypto/mcl/bls12-381.ts";
import type { PointAddress } from "../../../protocol/crypto/mcl/group.ts";
import { InvalidInput, NOT_CANONICAL } from "./define.ts";

/** Error text of the reference node for a scalar that is not below the order of the group. */
export const SCALAR_NOT_CANONICAL = "scalar is not canonical when interpreted as a big integer in big-endian";
/** Error text of the reference node for an invalid proof. */
export const WRONG_OPENING = "can't verify opening proof";

/** Flags in the three highest bits of a compressed point. */
const COMPRESSED = 0b100;
const COMPRESSED_INFINITY = 0b110;
const UNDEFINED_FLAGS: readonly number[] = [0b001, 0b011, 0b111];

/**
 * Decodes a commitment or a proof: a compressed point of the first group's subgroup, 48 bytes.
 * @throws InvalidInput for anything else, with the texts of the reference node
 */
export function decodeCompressed(point: PointAddress, bytes: Uint8Array): void {
  const curve = bls12381();
  const head = bytes[0] as number;
  const flags = head >>> 5;
  if (UNDEFINED_FLAGS.includes(flags)) throw new InvalidInput("invalid point encoding");
  if (flags < COMPRESSED) throw new InvalidInput("short buffer");
  const x = bytes.slice();
  x[0] = head & 0x1f;
  if (flags === COMPRESSED_INFINITY && x.some((byte) => byte !== 0)) {
    throw new InvalidInput("invalid infinity point encoding");
  }
  if (!curve.isCanonical(x)) throw new InvalidInput(NOT_CANONICAL);
  if (!curve.g1.readCompressed(point, bytes)) {
    throw new InvalidInput("invalid compressed coordinate: square root doesn't exist");
  }
  if (!curve.g1.inSubgroup(point)) throw new InvalidInput("invalid point: subgroup check failed");
}

let checked: PointAddress | undefined;

/** Checks that bytes encode a commitment or a proof. @throws InvalidInput as `decodeCompressed` */
export function checkCompressed(bytes: Uint8Array): void {
  checked ??= bls12381().g1.allocate(1);
  decodeCompressed(checked, bytes);
}
