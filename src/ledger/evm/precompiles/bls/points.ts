import { bls12381 } from "../../../../protocol/crypto/mcl/bls12-381.ts";
import type { Group, PointAddress } from "../../../../protocol/crypto/mcl/group.ts";
import { concat, isZeroBytes } from "../../../../protocol/primitives/bytes.ts";
import type { Precompile } from "../../precompile.ts";
import { failOnInvalidInput, InvalidInput, NOT_CANONICAL, WRONG_LENGTH } from "../define.ts";

const FIELD = 64;
const PADDING = 16;

/** Encoding of the points of a group in input and output: field elements of 64 bytes. @see EIP-2537 */
export interface PointCodec {
  readonly name: "g1" | "g2";
  /** Bytes of one point. */
  readonly size: number;
  group(): Group;
}

/** Points over the base field: x and y. */
export const g1: PointCodec = { name: "g1", size: 2 * FIELD, group: () => bls12381().g1 };
/** Points over the extension field: the real and imaginary parts of x and y. */
export const g2: PointCodec = { name: "g2", size: 4 * FIELD, group: () => bls12381().g2 };

/** Reads a point. @throws InvalidInput when a coordinate is not canonical or the point is not on the curve */
export function decodePoint(codec: PointCodec, point: PointAddress, bytes: Uint8Array): void {
  if (!codec.group().read(point, decodeFields(bytes))) throw new InvalidInput("invalid point: not on curve");
}

/** Reads a point of the subgroup of prime order. @throws InvalidInput for any other */
export function decodeMember(codec: PointCodec, point: PointAddress, bytes: Uint8Array): void {
  decodePoint(codec, point, bytes);
  if (!codec.group().inSubgroup(point)) {
    throw new InvalidInput(`${codec.name} point is not on correct subgroup`);
  }
}

/** Encodes a point as in EIP-2537: each coordinate in 64 bytes, the first 16 zero. */
export function encodePoint(codec: PointCodec, point: PointAddress): Uint8Array {
  const padding = new Uint8Array(PADDING);
  return concat(
    ...codec
      .group()
      .write(point)
      .flatMap((element) => [padding, element]),
  );
}

/** Decodes field elements: each is 16 zero bytes and 48 bytes below the field's order. @throws InvalidInput otherwise */
export function decodeFields(bytes: Uint8Array): Uint8Array[] {
  const elements: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += FIELD) {
    if (!isZeroBytes(bytes.subarray(at, at + PADDING)))
      throw new InvalidInput("invalid field element top bytes");
    const element = bytes.subarray(at + PADDING, at + FIELD);
    if (!bls12381().isCanonical(element)) throw new InvalidInput(NOT_CANONICAL);
    elements.push(element);
  }
  return elements;
}

/** Computation of a precompile. */
type Compute = (input: Uint8Array, checkDeadline: () => void) => Uint8Array;

/** A `run` that fails the call unless the input is valid and its length a positive multiple of `unit`. */
export function requireUnits(unit: number, compute: Compute): Precompile["run"] {
  const isWhole = ({ length }: Uint8Array) => length !== 0 && length % unit === 0;
  return failOnInvalidInput((input, context) =>
    isWhole(input) ? compute(input, context.checkDeadline) : WRONG_LENGTH,
  );
}

/** A `run` that fails the call unless the input is valid and has `size` bytes. */
export function requireLength(size: number, compute: Compute): Precompile["run"] {
  return failOnInvalidInput((input, context) =>
    input.length === size ? compute(input, context.checkDeadline) : WRONG_LENGTH,
  );
}
