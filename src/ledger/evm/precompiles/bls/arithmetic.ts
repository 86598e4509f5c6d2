import type { PointAddress } from "../../../../protocol/crypto/mcl/group.ts";
import type { Precompile } from "../../precompile.ts";
import { G1_DISCOUNTS, G2_DISCOUNTS } from "./discounts.ts";
import {
  decodeMember,
  decodePoint,
  encodePoint,
  g1,
  g2,
  type PointCodec,
  requireLength,
  requireUnits,
} from "./points.ts";

const SCALAR = 32;
/** Measured on reference node v2.2.1. */
const COMPUTATION_PER_GAS = 50;

/** Sum of two points of the first group (address 0x0b from prague). @see EIP-2537 */
export const blsG1Add = addition("BLS12_G1ADD", g1, 375);
/** Sum of two points of the second group (address 0x0d). @see EIP-2537 */
export const blsG2Add = addition("BLS12_G2ADD", g2, 600);
/** Multi-scalar multiplication in the first group (address 0x0c). @see EIP-2537 */
export const blsG1MultiScalar = multiScalar("BLS12_G1MSM", g1, 12_000, G1_DISCOUNTS);
/** Multi-scalar multiplication in the second group (address 0x0e). @see EIP-2537 */
export const blsG2MultiScalar = multiScalar("BLS12_G2MSM", g2, 22_500, G2_DISCOUNTS);

function addition(name: string, codec: PointCodec, gas: number): Precompile {
  let operands: PointAddress | undefined;
  return {
    name,
    gas: () => BigInt(gas),
    computation: () => BigInt(COMPUTATION_PER_GAS * gas),
    run: requireLength(2 * codec.size, (input) => {
      const group = codec.group();
      operands ??= group.allocate(2);
      const summand = operands + group.pointSize;
      decodePoint(codec, operands, input.subarray(0, codec.size));
      decodePoint(codec, summand, input.subarray(codec.size));
      group.add(operands, summand);
      return encodePoint(codec, operands);
    }),
  };
}

function multiScalar(
  name: string,
  codec: PointCodec,
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
    run: requireUnits(unit, (input, checkDeadline) => {
      const read = (index: number, point: PointAddress) => {
        const at = index * unit;
        decodeMember(codec, point, input.subarray(at, at + codec.size));
        return input.subarray(at + codec.size, at + unit);
      };
      return encodePoint(codec, codec.group().sumOfProducts(input.length / unit, read, checkDeadline));
    }),
  };
}
