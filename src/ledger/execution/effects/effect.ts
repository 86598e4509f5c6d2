import { STATUS_SUCCESS } from "../../../protocol/block/status.ts";
import { type Address, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionContext } from "../../evm/evm.ts";
import type { StateReader } from "../../state/state.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import { statusOfOutcome } from "../status.ts";

/** The part of a state that type rules look at. */
export type Accounts = Pick<StateReader, "account">;

/** One transaction about to take effect: paid for, checked, its sender's nonce not yet increased. */
export interface EffectCall {
  readonly tx: Transaction;
  readonly sender: Address;
  /** What is left of the transaction's gas. */
  readonly gas: bigint;
  readonly block: BlockEnvironment;
  readonly context: TransactionContext;
  readonly options: TransactionOptions;
}

/** What an effect did. */
export interface EffectResult {
  /** Receipt status. */
  readonly status: number;
  /** The error's own text; absent on success. */
  readonly error?: string | undefined;
  readonly gasLeft: bigint;
  readonly output: Uint8Array;
  readonly computation: bigint;
}

/** What the transactions of one effect may and do. */
export interface EffectRules {
  /** Checks the rules of the type on a state. @throws TransactionRejection */
  check(tx: Transaction, accounts: Accounts): void;
  /** Takes effect: increases the sender's nonce and does what the type is for. */
  run(call: EffectCall): EffectResult;
}

/** Calls the recipient with the input as data. */
export function callRecipient(call: EffectCall): EffectResult {
  const { state } = call.block;
  // An EIP-7702 transaction raises the nonce before its authorizations, which may count on it.
  if (call.tx.authorizationList === undefined) state.setNonce(call.sender, state.nonce(call.sender) + 1n);
  return runMessage(call);
}

/** Creates a contract with the input as init code; the engine raises the sender's nonce. */
export function createContract(call: EffectCall): EffectResult {
  return runMessage(call);
}

/** Raises the nonce and does nothing else: all gas beyond the intrinsic gas is left. */
export function onlyRaiseNonce({ block, sender, gas }: EffectCall): EffectResult {
  block.state.setNonce(sender, block.state.nonce(sender) + 1n);
  return { status: STATUS_SUCCESS, gasLeft: gas, output: EMPTY_BYTES, computation: 0n };
}

function runMessage({ tx, sender, gas, block, context, options }: EffectCall): EffectResult {
  const { evm, state, computationLimit } = block;
  const message = {
    caller: sender,
    ...(tx.to === undefined ? {} : { to: tx.to }),
    value: tx.value,
    input: tx.input,
    gas,
  };
  const limits = {
    ...(computationLimit === undefined ? {} : { computation: computationLimit }),
    ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
  };
  const result = evm.run(message, block.context, context, state, limits, options.tracer);
  return {
    status: statusOfOutcome(result.outcome),
    error: result.error,
    gasLeft: result.gasLeft,
    output: result.output,
    computation: result.computation,
  };
}
