import { STATUS_SUCCESS, statusText } from "../../../protocol/block/status.ts";
import { UPPER_GAS_LIMIT } from "../../../protocol/params/gas.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type {
  AccessListEntry,
  Authorization,
  Transaction,
} from "../../../protocol/transaction/transaction.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../../protocol/transaction/types.ts";
import type { BlockContext } from "../../evm/evm.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import { CallError, TransactionRejection } from "../errors.ts";
import { priceIn } from "../transaction/fees.ts";
import { transition } from "../transaction/transaction.ts";
import { gasNeeds } from "../transaction/validate.ts";

/**
 * Credit given to a caller: the `whole` fee; the fee at the `baseFee` alone, so that it pays the part of the price above
 * that; or that where it can pay the rest and else the whole, `affordable`: what tracers then see of its balance; or the
 * whole and what it lacks of the `value` that it sends.
 */
export type FeeCredit = "whole" | "baseFee" | "affordable" | "value";

/** A message to execute like a transaction, without signature and nonce. */
export interface CallRequest {
  readonly from: Address;
  /** Absent: the input is init code. */
  readonly to?: Address | undefined;
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gas: bigint;
  /** kei; by default `defaultCallPrice`. Ignored with authorizations. */
  readonly gasPrice: bigint;
  readonly accessList?: readonly AccessListEntry[] | undefined;
  /** Whether access list and authorizations are free, as when an access list is being computed. */
  readonly isListFree?: boolean | undefined;
  /** What the caller is credited for the fee; by default the whole. */
  readonly credit?: FeeCredit | undefined;
  readonly authorizationList?: readonly Authorization[] | undefined;
}

/** The result of a call. */
export interface CallResult {
  /** The receipt status of an equivalent transaction. */
  readonly status: number;
  /** The failure in the reference node's words; absent on success. */
  readonly error?: string | undefined;
  /** The failure's own text, as tracers show it; absent on success. */
  readonly cause?: string | undefined;
  readonly output: Uint8Array;
  readonly gasUsed: bigint;
  readonly computation: bigint;
  /** Inputs of the calls that wrote to the console; absent where there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/** Default price of a call: twice the base fee, 0 before magma. */
export function defaultCallPrice({ baseFee }: BlockContext): bigint {
  return 2n * baseFee;
}

/**
 * Gas limit of a call: as requested, at most `cap`.
 * @param cap - the node's own limit; 0 = none
 * @throws CallError `CALL_GAS`
 */
export function callGas(asked: bigint | undefined, cap: bigint): bigint {
  const gas = asked ?? UPPER_GAS_LIMIT;
  if (gas > UPPER_GAS_LIMIT) {
    throw new CallError("CALL_GAS", `gas limit ${gas} exceeds the upper limit ${UPPER_GAS_LIMIT}`);
  }
  return cap !== 0n && cap < gas ? cap : gas;
}

/**
 * Runs a message against a state. The caller is credited the fee (`FeeCredit`), so that its balance limits only the value
 * it sends.
 * The journal keeps the changes; its transaction is ended.
 * @throws CallError `CALL_REJECTED` with the reason as cause; EvmTimeout
 */
export function call(
  request: CallRequest,
  block: BlockEnvironment,
  options: TransactionOptions = {},
): CallResult {
  const tx = asTransaction(request, block.context);
  const charged = request.isListFree
    ? asTransaction({ ...request, accessList: undefined, authorizationList: undefined }, block.context)
    : tx;
  const needs = gasNeeds(charged, 0n, block.context.rules);
  if (tx.gas < needs.intrinsic) {
    const text = `intrinsic gas too low: msg.gas ${tx.gas}, want ${needs.intrinsic}`;
    throw new CallError(
      "CALL_REJECTED",
      text,
      {},
      { cause: new TransactionRejection("INTRINSIC_GAS", text) },
    );
  }
  const price = priceIn(tx, block.context);
  block.state.addBalance(request.from, callCredit(request, block, price));
  try {
    const payment = { tx, sender: request.from, feePayer: request.from, price };
    const ended = transition(payment, needs, block, options);
    options.beforeEnd?.(ended);
    const { status, output, gasUsed, computation, console } = ended;
    const error = status === STATUS_SUCCESS ? undefined : statusText(status);
    return { status, error, cause: ended.error, output, gasUsed, computation, console };
  } catch (cause) {
    if (!(cause instanceof TransactionRejection)) throw cause;
    throw new CallError("CALL_REJECTED", `err: ${cause.message} (supplied gas ${tx.gas})`, {}, { cause });
  } finally {
    block.state.endTransaction();
  }
}

/** Price per gas that a call pays, kei: from magma until kaia the base fee, whatever the call offers. */
export function callPrice(request: CallRequest, context: BlockContext): bigint {
  return priceIn(asTransaction(request, context), context);
}

/** The amount credited to the caller for the fee. @param price - `callPrice` */
export function callCredit(
  { from, value, gas, credit = "whole" }: CallRequest,
  block: BlockEnvironment,
  price: bigint,
): bigint {
  const whole = gas * price;
  if (credit === "whole") return whole;
  if (credit === "value") {
    const lacking = value - block.state.balance(from);
    return lacking > 0n ? whole + lacking : whole;
  }
  const little = gas * block.context.baseFee;
  if (credit === "baseFee") return little;
  const isEnough = block.state.balance(from) + little >= whole + value;
  return little < whole && isEnough ? little : whole;
}

const LEGACY = transactionType(TypeCode.legacy) as TransactionType;
const ACCESS_LIST = transactionType(TypeCode.accessList) as TransactionType;
const SET_CODE = transactionType(TypeCode.setCode) as TransactionType;

/**
 * The transaction that the reference makes of a call; one with authorizations has no price. A literal of one shape, since
 * calls are many: `createTransaction` took a tenth of the time of a `balanceOf`.
 */
function asTransaction(request: CallRequest, { rules }: BlockContext): Transaction {
  const { to, value, input, gas, gasPrice, authorizationList, accessList } = request;
  const isSetCode = authorizationList !== undefined;
  const hasList = isSetCode || accessList !== undefined;
  return {
    type: isSetCode ? SET_CODE : hasList ? ACCESS_LIST : LEGACY,
    nonce: 0n,
    gas,
    gasPrice: isSetCode ? 0n : gasPrice,
    maxPriorityFeePerGas: isSetCode ? 0n : undefined,
    to,
    value,
    input,
    chainId: hasList ? rules.chainId : undefined,
    accessList: hasList ? (accessList ?? []) : undefined,
    authorizationList,
    signatures: [],
  };
}
