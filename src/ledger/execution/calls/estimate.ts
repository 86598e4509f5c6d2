import { STATUS_SUCCESS } from "../../../protocol/block/status.ts";
import { TRANSACTION_GAS, UPPER_GAS_LIMIT } from "../../../protocol/params/gas.ts";
import { CallError, TransactionRejection } from "../errors.ts";
import type { CallResult } from "./call.ts";
import { failureOf } from "./revert.ts";

/** Input of a gas estimate. */
export interface EstimateRequest {
  /** Gas limit requested by the caller; ignored if absent or below 21,000. */
  readonly gas?: bigint | undefined;
  /** The node's own limit; 0 = none. */
  readonly cap: bigint;
  readonly value: bigint;
  /** Gas price given by the caller; 0 = none, in which case the balance does not limit the gas. */
  readonly gasPrice: bigint;
  /** Balance of the caller, kei. */
  readonly balance: bigint;
  /** Runs the call with a gas limit on a fresh state. @throws CallError */
  run(gas: bigint): CallResult;
  /** Whether the call behaves the same with any sufficient gas limit. */
  isGasIndependent(): boolean;
}

const OUT_OF_GAS = 0x07;

/** A gas limit known to be too low for any transaction. */
const BELOW_MINIMUM = TRANSACTION_GAS - 1n;
/** Growth of the step by which each attempt exceeds the last one that was too low. */
const STEP_GROWTH = 8n;

/**
 * The lowest gas limit with which a call succeeds.
 * @throws CallError with the reference node's texts; `REVERTED` carries the output
 */
export function estimateGas(request: EstimateRequest): bigint {
  const ceiling = highestGas(request);
  return request.isGasIndependent() ? searchFromUsed(request, ceiling) : bisect(request, ceiling);
}

/** Bisects as the reference node does: code that observes its gas may fail with more, and then the order of attempts matters. */
function bisect(request: EstimateRequest, ceiling: bigint): bigint {
  let tooLow = BELOW_MINIMUM;
  let enough = ceiling;
  while (tooLow + 1n < enough) {
    const middle = (tooLow + enough) / 2n;
    if (succeeds(attempt(request, middle))) enough = middle;
    else tooLow = middle;
  }
  if (enough === ceiling) checkCeiling(attempt(request, ceiling), ceiling);
  return enough;
}

/**
 * For calls whose behaviour does not depend on the gas limit, for which every search gives the same result. Most need just
 * the gas they use, so that two attempts suffice instead of thirty; gas for refunds, or for the stipend check of SSTORE, is
 * searched for above that.
 */
function searchFromUsed(request: EstimateRequest, ceiling: bigint): bigint {
  const first = (BELOW_MINIMUM + ceiling) / 2n;
  let tooLow = BELOW_MINIMUM;
  let enough = ceiling;
  // The first attempt is the same as that of the bisection, since error texts contain its gas.
  let result = tooLow + 1n < ceiling ? attempt(request, first) : undefined;
  if (succeeds(result)) enough = first;
  else {
    result = attempt(request, ceiling);
    checkCeiling(result, ceiling);
  }
  tooLow = max(tooLow, (result as CallResult).gasUsed - 1n);
  for (let step = 1n; tooLow + 1n < enough; step *= STEP_GROWTH) {
    const gas = min(tooLow + step, (tooLow + enough) / 2n);
    if (succeeds(attempt(request, gas))) enough = gas;
    else tooLow = gas;
  }
  return enough;
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);

function highestGas({ gas, cap, value, gasPrice, balance }: EstimateRequest): bigint {
  if (gas !== undefined && gas > UPPER_GAS_LIMIT) {
    throw new CallError("CALL_GAS", `gas limit ${gas} exceeds the upper limit ${UPPER_GAS_LIMIT}`);
  }
  let highest = gas !== undefined && gas >= TRANSACTION_GAS ? gas : UPPER_GAS_LIMIT;
  if (gasPrice !== 0n) {
    if (value >= balance) throw new CallError("ESTIMATE_FUNDS", "insufficient funds for transfer");
    const affordable = (balance - value) / gasPrice;
    if (affordable < highest) highest = affordable;
  }
  return cap !== 0n && cap < highest ? cap : highest;
}

/** The call's result; undefined if it cannot even start with this gas. */
function attempt(request: EstimateRequest, gas: bigint): CallResult | undefined {
  try {
    return request.run(gas);
  } catch (error) {
    if (error instanceof CallError && isTooLittleGas(error.cause)) return undefined;
    throw error;
  }
}

function isTooLittleGas(cause: unknown): boolean {
  return cause instanceof TransactionRejection && ["INTRINSIC_GAS", "FLOOR_GAS"].includes(cause.code);
}

function succeeds(result: CallResult | undefined): boolean {
  return result?.status === STATUS_SUCCESS;
}

function checkCeiling(result: CallResult | undefined, ceiling: bigint): void {
  if (succeeds(result)) return;
  if (result === undefined || result.status === OUT_OF_GAS) {
    // Gas requested by the caller is never below 21,000, so a lower ceiling comes from the balance.
    const code = ceiling < TRANSACTION_GAS ? "ESTIMATE_FUNDS" : "ESTIMATE_ALLOWANCE";
    throw new CallError(code, `gas required exceeds allowance (${ceiling})`);
  }
  throw failureOf(result);
}
