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
import { requiredGas } from "../transaction/validate.ts";

/**
 * What a caller is credited so that it can pay the fee; tracers see its balance with this credit.
 * - `whole`: the whole fee
 * - `baseFee`: the fee at the base fee, so that it pays the rest of the price itself
 * - `affordable`: as `baseFee` if it can pay the rest, else as `whole`
 * - `value`: the whole fee, and what its balance lacks for the value it sends
 */
export type FeeCredit = "whole" | "baseFee" | "affordable" | "value";

/** A message to execute like a transaction, but without signature and nonce. */
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
  /** Whether access list and authorizations are free of gas, as when an access list is being computed. */
  readonly isListFree?: boolean | undefined;
  /** Credit for the fee; default `whole`. */
  readonly credit?: FeeCredit | undefined;
  /** Whether the fee is checked before the gas, as in the reference for traced calls and access lists. */
  readonly paysFirst?: boolean;
  readonly authorizationList?: readonly Authorization[] | undefined;
}

/** The result of a call. */
export interface CallResult {
  /** The receipt status of an equivalent transaction. */
  readonly status: number;
  /** The failure as worded by the reference node; absent on success. */
  readonly error?: string | undefined;
  /** The EVM's error text, as shown by tracers; absent on success. */
  readonly cause?: string | undefined;
  readonly output: Uint8Array;
  readonly gasUsed: bigint;
  readonly computation: bigint;
  /** Inputs of `console.log` calls; absent if there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/** Default price of a call: twice the base fee, 0 before magma. */
export function defaultCallPrice({ baseFee }: BlockContext): bigint {
  return 2n * baseFee;
}

/**
 * Gas limit of a call: the requested one, but at most `cap`.
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
 * Executes a message on a state. The caller is credited the fee (`FeeCredit`), so that its balance only limits the value it
 * sends. Leaves the changes in the journal, and ends its transaction.
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
  const required = requiredGas(charged, 0n, block.context.rules);
  if (tx.gas < required.intrinsic && request.paysFirst !== true) {
    const text = `intrinsic gas too low: msg.gas ${tx.gas}, want ${required.intrinsic}`;
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
    const ended = transition(payment, required, block, options);
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

/** Price per gas paid by a call, kei: from magma until kaia the base fee, whatever the call offers. */
export function callPrice(request: CallRequest, context: BlockContext): bigint {
  return priceIn(asTransaction(request, context), context);
}

/** The amount credited to the caller, kei. @param price - `callPrice` */
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
 * A call as a transaction, as in the reference; one with authorizations has no price. An object literal of one fixed shape,
 * for speed: `createTransaction` took a tenth of the time of a `balanceOf`.
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
