import { STATUS_SUCCESS } from "../../../protocol/block/status.ts";
import { TRANSACTION_GAS, UPPER_GAS_LIMIT } from "../../../protocol/params/gas.ts";
import { CallError, TransactionRejection } from "../errors.ts";
import type { CallResult } from "./call.ts";
import { failureOf } from "./revert.ts";

/** Input of a gas estimate. */
export interface EstimateRequest {
  /** Gas limit given by the caller; ignored if absent or below 21,000. */
  readonly gas?: bigint | undefined;
  /** The node's own limit; 0 = none. */
  readonly cap: bigint;
  readonly value: bigint;
  /** Gas price given by the caller; 0 = none, and then the balance does not limit the gas. */
  readonly gasPrice: bigint;
  /** Balance of the caller, kei. */
  readonly balance: bigint;
  /** Runs the call with this much gas on a fresh state. @throws CallError */
  run(gas: bigint): CallResult;
  /** Whether the call takes the same course with any gas that suffices. */
  isGasBlind(): boolean;
}

const OUT_OF_GAS = 0x07;

/** What a transaction is known to need more than. */
const LESS_THAN_ANY = TRANSACTION_GAS - 1n;
/** How much further each attempt goes above what was too little. */
const STEP_GROWTH = 8n;

/**
 * The lowest gas limit with which a call succeeds.
 * @throws CallError with the reference node's texts; `REVERTED` carries the output
 */
export function estimateGas(request: EstimateRequest): bigint {
  const ceiling = highestGas(request);
  return request.isGasBlind() ? searchFromUsed(request, ceiling) : bisect(request, ceiling);
}

/** As the reference node does: code that sees its gas may fail with more, and then the order of the attempts matters. */
function bisect(request: EstimateRequest, ceiling: bigint): bigint {
  let tooLow = LESS_THAN_ANY;
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
 * Where the course does not depend on the gas, every search has the same result. Most calls need what they use, so that two attempts
 * do instead of thirty; what is refunded, or has to be left at a store, is looked for above that.
 */
function searchFromUsed(request: EstimateRequest, ceiling: bigint): bigint {
  const first = (LESS_THAN_ANY + ceiling) / 2n;
  let tooLow = LESS_THAN_ANY;
  let enough = ceiling;
  // The first attempt is the bisection's, since the text of a refusal names its gas.
  let result = tooLow + 1n < ceiling ? attempt(request, first) : undefined;
  if (succeeds(result)) enough = first;
  else {
    result = attempt(request, ceiling);
    checkCeiling(result, ceiling);
  }
  tooLow = most(tooLow, (result as CallResult).gasUsed - 1n);
  for (let step = 1n; tooLow + 1n < enough; step *= STEP_GROWTH) {
    const gas = least(tooLow + step, (tooLow + enough) / 2n);
    if (succeeds(attempt(request, gas))) enough = gas;
    else tooLow = gas;
  }
  return enough;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

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
    // Gas that the caller gives is never below 21,000: what is lower is what the balance pays for.
    const code = ceiling < TRANSACTION_GAS ? "ESTIMATE_FUNDS" : "ESTIMATE_ALLOWANCE";
    throw new CallError(code, `gas required exceeds allowance (${ceiling})`);
  }
  throw failureOf(result);
}
