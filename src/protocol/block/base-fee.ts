import type { ParamSet } from "../params/config.ts";
import type { Header } from "./header.ts";

type BaseFeeParams = Pick<
  ParamSet,
  "lowerBoundBaseFee" | "upperBoundBaseFee" | "gasTarget" | "maxBlockGasUsedForBaseFee" | "baseFeeDenominator"
>;

/**
 * Base fee of the block after `parent`, kei per gas; for blocks from magma on.
 * @param params - those in force at the new block
 * @see KIP-71; every result and both bounds are even
 */
export function nextBaseFee(parent: Header, params: BaseFeeParams): bigint {
  const lower = params.lowerBoundBaseFee + (params.lowerBoundBaseFee & 1n);
  const upper = evenFloor(params.upperBoundBaseFee);
  if (parent.number === 0n || parent.baseFee === undefined) return lower;
  return evenFloor(moved(clamp(parent.baseFee, lower, upper), parent.gasUsed, { ...params, lower, upper }));
}

/** The change of the base fee, proportional to the distance of the gas used from the target. */
function moved(fee: bigint, used: bigint, params: BaseFeeParams & { lower: bigint; upper: bigint }): bigint {
  const { gasTarget: target, maxBlockGasUsedForBaseFee: cap, lower, upper } = params;
  const denominator = params.baseFeeDenominator || 64n;
  const gas = used < cap ? used : cap;
  if (gas === target) return fee;
  if (gas < target) return clamp(fee - (fee * (target - gas)) / target / denominator, lower, upper);
  const step = (fee * (gas - target)) / target / denominator;
  return clamp(fee + (step || 1n), lower, upper);
}

/** The upper bound wins if the bounds cross, as in the reference. */
function clamp(value: bigint, lower: bigint, upper: bigint): bigint {
  if (value >= upper) return upper;
  return value <= lower ? lower : value;
}

function evenFloor(value: bigint): bigint {
  return value - (value & 1n);
}
