import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import { bytesToBigint } from "../../../protocol/primitives/bytes.ts";
import type { Precompile } from "../precompile.ts";
import { G1_DISCOUNTS, G2_DISCOUNTS } from "./bls-discounts.ts";
import { g1, g2, inSubgroup, overExactly, overUnits, type PointCodec } from "./bls-points.ts";
import { blsCurve, curveArithmetic } from "./curves.ts";

const SCALAR = 32;
/** Measured on reference node v2.2.1. */
const COMPUTATION_PER_GAS = 50;

/** Sum of two points of the first group (address 0x0b from prague). @see EIP-2537 */
export const blsG1Add = addition("BLS12_G1ADD", g1, 375);
/** Sum of two points of the second group (address 0x0d). @see EIP-2537 */
export const blsG2Add = addition("BLS12_G2ADD", g2, 600);
/** Sum of products of points of the first group and numbers (address 0x0c). @see EIP-2537 */
export const blsG1MultiScalar = multiScalar("BLS12_G1MSM", g1, 12_000, G1_DISCOUNTS);
/** Sum of products of points of the second group and numbers (address 0x0e). @see EIP-2537 */
export const blsG2MultiScalar = multiScalar("BLS12_G2MSM", g2, 22_500, G2_DISCOUNTS);

function addition<F>(name: string, codec: PointCodec<F>, gas: number): Precompile {
  return {
    name,
    gas: () => BigInt(gas),
    computation: () => BigInt(COMPUTATION_PER_GAS * gas),
    run: overExactly(2 * codec.size, (input) => {
      const left = codec.decode(input.subarray(0, codec.size));
      return codec.encode(left.add(codec.decode(input.subarray(codec.size))));
    }),
  };
}

function multiScalar<F>(
  name: string,
  codec: PointCodec<F>,
  gasOfOne: number,
  discounts: readonly number[],
): Precompile {
  const unit = codec.size + SCALAR;
  const cost = (input: Uint8Array, perPoint: number): bigint => {
    const count = Math.floor(input.length / unit);
    if (count === 0) return 0n;
    const discount = discounts[Math.min(count, discounts.length) - 1] as number;
    return BigInt(Math.floor((count * perPoint * discount) / 1000));
  };
  return {
    name,
    gas: (input) => cost(input, gasOfOne),
    computation: (input) => cost(input, COMPUTATION_PER_GAS * gasOfOne),
    run: overUnits(unit, (input) => codec.encode(sumOfProducts(codec, input, unit))),
  };
}

function sumOfProducts<F>(codec: PointCodec<F>, input: Uint8Array, unit: number): WeierstrassPoint<F> {
  const { Fr } = blsCurve().bls12_381.fields;
  const points: WeierstrassPoint<F>[] = [];
  const scalars: bigint[] = [];
  for (let at = 0; at < input.length; at += unit) {
    points.push(inSubgroup(codec.decode(input.subarray(at, at + codec.size)), codec));
    scalars.push(Fr.create(bytesToBigint(input.subarray(at + codec.size, at + unit))));
  }
  if (points.length === 1) return (points[0] as WeierstrassPoint<F>).multiplyUnsafe(scalars[0] as bigint);
  return curveArithmetic().pippenger(codec.group(), points, scalars);
}
