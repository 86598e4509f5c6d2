import { bls12381 } from "../../../../protocol/crypto/mcl/bls12-381.ts";
import type { Group, PointAddress } from "../../../../protocol/crypto/mcl/group.ts";
import { concat, isZeroBytes } from "../../../../protocol/primitives/bytes.ts";
import type { Precompile } from "../../precompile.ts";
import { InvalidInput, NOT_CANONICAL, orFail, WRONG_LENGTH } from "../define.ts";

const FIELD = 64;
const PADDING = 16;

/** How the points of one of the two groups stand in the input and output: field elements of 64 bytes. @see EIP-2537 */
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

/** A point as EIP-2537 writes it: each coordinate in 64 bytes, the first 16 zero. */
export function encodePoint(codec: PointCodec, point: PointAddress): Uint8Array {
  const padding = new Uint8Array(PADDING);
  return concat(
    ...codec
      .group()
      .write(point)
      .flatMap((element) => [padding, element]),
  );
}

/** Reads field elements: 16 zero bytes and 48 bytes below the field's order each. @throws InvalidInput otherwise */
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

/** What a precompile computes, with the check of its deadline. */
type Compute = (input: Uint8Array, checkDeadline: () => void) => Uint8Array;

/** A `run` that fails the call when the input is not a whole number of `unit`s or is invalid. */
export function overUnits(unit: number, compute: Compute): Precompile["run"] {
  const isWhole = ({ length }: Uint8Array) => length !== 0 && length % unit === 0;
  return orFail((input, context) => (isWhole(input) ? compute(input, context.checkDeadline) : WRONG_LENGTH));
}

/** A `run` over an input of exactly `size` bytes that fails the call when it is invalid. */
export function overExactly(size: number, compute: Compute): Precompile["run"] {
  return orFail((input, context) =>
    input.length === size ? compute(input, context.checkDeadline) : WRONG_LENGTH,
  );
}
