import type { WeierstrassPoint, WeierstrassPointCons } from "@noble/curves/abstract/weierstrass.js";
import {
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  isZeroBytes,
} from "../../../protocol/primitives/bytes.ts";
import type { Precompile } from "../precompile.ts";
import { blsCurve } from "./curves.ts";
import { NOT_CANONICAL, orFail, WRONG_LENGTH } from "./define.ts";

/** An element of the quadratic extension of the base field. */
export type Fp2 = { c0: bigint; c1: bigint };

/** How the points of one of the two groups stand in the input and output. @see EIP-2537 */
export interface PointCodec<F> {
  readonly name: string;
  /** Bytes of one point. */
  readonly size: number;
  group(): WeierstrassPointCons<F>;
  /** @throws Error when a coordinate is not canonical or the point is not on the curve */
  decode(bytes: Uint8Array): WeierstrassPoint<F>;
  encode(point: WeierstrassPoint<F>): Uint8Array;
}

const FIELD = 64;

/** Points over the base field: x and y, 64 bytes each. */
export const g1: PointCodec<bigint> = {
  name: "g1",
  size: 2 * FIELD,
  group: () => blsCurve().bls12_381.G1.Point,
  decode(bytes) {
    const Point = g1.group();
    const x = decodeField(bytes.subarray(0, FIELD));
    const y = decodeField(bytes.subarray(FIELD));
    return x === 0n && y === 0n ? Point.ZERO : onCurve(Point, x, y);
  },
  encode(point) {
    if (point.is0()) return new Uint8Array(2 * FIELD);
    const { x, y } = point.toAffine();
    return concat(encodeField(x), encodeField(y));
  },
};

/** Points over the extension field: the real and imaginary parts of x and y, 64 bytes each. */
export const g2: PointCodec<Fp2> = {
  name: "g2",
  size: 4 * FIELD,
  group: () => blsCurve().bls12_381.G2.Point,
  decode(bytes) {
    const Point = g2.group();
    const x = decodeField2(bytes.subarray(0, 2 * FIELD));
    const y = decodeField2(bytes.subarray(2 * FIELD));
    return (x.c0 | x.c1 | y.c0 | y.c1) === 0n ? Point.ZERO : onCurve(Point, x, y);
  },
  encode(point) {
    if (point.is0()) return new Uint8Array(4 * FIELD);
    const { x, y } = point.toAffine();
    return concat(encodeField(x.c0), encodeField(x.c1), encodeField(y.c0), encodeField(y.c1));
  },
};

/** A point of the subgroup of prime order. @throws Error for any other point of the curve */
export function inSubgroup<F>(point: WeierstrassPoint<F>, codec: PointCodec<F>): WeierstrassPoint<F> {
  if (!point.is0() && !point.isTorsionFree()) {
    throw new Error(`${codec.name} point is not on correct subgroup`);
  }
  return point;
}

/** Reads a base field element: 16 zero bytes and 48 bytes below the field's order. @throws Error otherwise */
export function decodeField(bytes: Uint8Array): bigint {
  if (!isZeroBytes(bytes.subarray(0, 16))) throw new Error("invalid field element top bytes");
  const value = bytesToBigint(bytes.subarray(16));
  if (!blsCurve().bls12_381.fields.Fp.isValid(value)) throw new Error(NOT_CANONICAL);
  return value;
}

/** Reads an extension field element, real part first. @throws Error as `decodeField` */
export function decodeField2(bytes: Uint8Array): Fp2 {
  return { c0: decodeField(bytes.subarray(0, FIELD)), c1: decodeField(bytes.subarray(FIELD)) };
}

/** A `run` that fails the call when the input is not a whole number of `unit`s or when `compute` throws. */
export function overUnits(unit: number, compute: (input: Uint8Array) => Uint8Array): Precompile["run"] {
  const isWhole = ({ length }: Uint8Array) => length !== 0 && length % unit === 0;
  return orFail((input) => (isWhole(input) ? compute(input) : WRONG_LENGTH));
}

/** A `run` over an input of exactly `size` bytes that fails the call when `compute` throws. */
export function overExactly(size: number, compute: (input: Uint8Array) => Uint8Array): Precompile["run"] {
  return orFail((input) => (input.length === size ? compute(input) : WRONG_LENGTH));
}

/** Checks y² = x³ + b; unlike the library's own check this leaves out the subgroup, which an addition must not demand. */
function onCurve<F>(Point: WeierstrassPointCons<F>, x: F, y: F): WeierstrassPoint<F> {
  const { Fp } = Point;
  const right = Fp.add(Fp.mul(Fp.sqr(x), x), Point.CURVE().b);
  if (!Fp.eql(Fp.sqr(y), right)) throw new Error("invalid point: not on curve");
  return Point.fromAffine({ x, y });
}

function encodeField(value: bigint): Uint8Array {
  return bigintToFixedBytes(value, FIELD);
}
