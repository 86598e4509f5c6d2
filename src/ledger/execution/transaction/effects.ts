import { hasCode } from "../../../protocol/account/account.ts";
import { AccountKeyError } from "../../../protocol/account/errors.ts";
import { type AccountKey, LEGACY_KEY } from "../../../protocol/account/key.ts";
import { decodeAccountKey } from "../../../protocol/account/key-codec.ts";
import { updateAccountKey } from "../../../protocol/account/key-rules.ts";
import { STATUS_SUCCESS } from "../../../protocol/block/status.ts";
import { type Address, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionEffect } from "../../../protocol/transaction/types.ts";
import type { TransactionContext } from "../../evm/evm.ts";
import { isReservedAddress } from "../../evm/precompiles/index.ts";
import type { StateReader } from "../../state/state.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import { statusOfOutcome } from "./status.ts";

/** The part of a state used by type rules. */
export type Accounts = Pick<StateReader, "account">;

/** A checked and paid-for transaction about to take effect, before its sender's nonce is incremented. */
export interface EffectCall {
  readonly tx: Transaction;
  readonly sender: Address;
  /** Gas limit minus intrinsic gas. */
  readonly gas: bigint;
  readonly block: BlockEnvironment;
  readonly context: TransactionContext;
  readonly options: TransactionOptions;
}

/** The result of an effect. */
export interface EffectResult {
  /** Receipt status. */
  readonly status: number;
  /** The EVM's error text; absent on success. */
  readonly error?: string | undefined;
  readonly gasLeft: bigint;
  readonly output: Uint8Array;
  readonly computation: bigint;
  /** Inputs of `console.log` calls; absent if there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/** Rules and execution of one effect. */
interface EffectRules {
  /** Checks the rules of the type on a state. @throws TransactionRejection */
  check(tx: Transaction, accounts: Accounts): void;
  /** Increments the sender's nonce and applies the effect. */
  run(call: EffectCall): EffectResult;
}

/** Calls the recipient with the input as call data. */
function callRecipient(call: EffectCall): EffectResult {
  const { state } = call.block;
  // An EIP-7702 transaction has incremented it already, before its authorizations, which may depend on it.
  if (call.tx.authorizationList === undefined) state.setNonce(call.sender, state.nonce(call.sender) + 1n);
  return runMessage(call);
}

/** Creates a contract with the input as init code; the engine increments the sender's nonce. */
function createContract(call: EffectCall): EffectResult {
  return runMessage(call);
}

/** Increments the nonce and does nothing else: all gas beyond the intrinsic gas is left. */
function onlyRaiseNonce({ block, sender, gas }: EffectCall): EffectResult {
  block.state.setNonce(sender, block.state.nonce(sender) + 1n);
  return { status: STATUS_SUCCESS, gasLeft: gas, output: EMPTY_BYTES, computation: 0n };
}

function runMessage({ tx, sender, gas, block, context, options }: EffectCall): EffectResult {
  const { evm, state, computationLimit } = block;
  // Object literals of fixed shape, for speed: spreading took a tenth of the time of a `balanceOf`.
  const message = { caller: sender, to: tx.to, value: tx.value, input: tx.input, gas };
  const { deadline, budget } = options;
  const limits = { computation: computationLimit, deadline, budget };
  const result = evm.run(message, block.context, context, state, limits, options.tracer);
  return {
    status: statusOfOutcome(result.outcome),
    error: result.error,
    gasLeft: result.gasLeft,
    output: result.output,
    computation: result.computation,
    console: result.console,
  };
}

/** @throws TransactionRejection if the address is in the range reserved for precompiles */
function checkNotReserved(address: Address | undefined): void {
  if (address === undefined || !isReservedAddress(address)) return;
  throw new TransactionRejection("TYPE_RULE", "the address is reserved for pre-compiled contracts");
}

/** Whether an account is a contract or an EOA that delegates to one. */
function hasProgram(accounts: Accounts, address: Address): boolean {
  const account = accounts.account(address);
  return account !== undefined && (account.type === "sca" || hasCode(account));
}

/** Transfers value to an account without code; a memo does the same with an input that is never executed. */
const transfer: EffectRules = {
  check({ to }, accounts) {
    checkNotReserved(to);
    if (hasProgram(accounts, to as Address)) {
      throw new TransactionRejection("TYPE_RULE", "recipient must be an EOA without code");
    }
  },
  run: callRecipient,
};

/** Calls a contract, or an account that delegates to one. */
const execute: EffectRules = {
  check({ to }, accounts) {
    const account = accounts.account(to as Address);
    if (account === undefined || (account.type === "eoa" && !hasCode(account))) {
      throw new TransactionRejection("TYPE_RULE", "recipient must be an EOA with code or an SCA");
    }
    if (!hasCode(account)) {
      const text = "not a program account (e.g., an account having code and storage)";
      throw new TransactionRejection("TYPE_RULE", text);
    }
  },
  run: callRecipient,
};

/** The only code format. */
const CODE_FORMAT_EVM = 0n;

/** Creates a contract by a Kaia transaction type. */
const deploy: EffectRules = {
  check(tx) {
    if (tx.to !== undefined) {
      throw rejection("contract deploy transaction can't have a recipient address");
    }
    if (tx.humanReadable) throw rejection("Human-readable address is not supported now");
    if (tx.codeFormat !== CODE_FORMAT_EVM) throw rejection("smart contract code format is invalid");
  },
  run: createContract,
};

function rejection(text: string): TransactionRejection {
  return new TransactionRejection("TYPE_RULE", text);
}

/** Replaces the account key of the sender. */
const accountUpdate: EffectRules = {
  check(tx, accounts) {
    const sender = tx.from as Address;
    try {
      newKey(tx, sender, accounts);
    } catch (error) {
      if (!(error instanceof AccountKeyError)) throw error;
      throw new TransactionRejection("TYPE_RULE", error.message, error.details, { cause: error });
    }
    if (hasProgram(accounts, sender)) {
      throw new TransactionRejection("TYPE_RULE", "sender must be an EOA without code");
    }
  },
  run(call) {
    const result = onlyRaiseNonce(call);
    try {
      call.block.state.setKey(call.sender, newKey(call.tx, call.sender, call.block.state));
      return result;
    } catch (error) {
      if (!(error instanceof AccountKeyError)) throw error;
      return { ...result, status: error.receiptStatus, error: error.message };
    }
  },
};

/** @throws AccountKeyError if the old key cannot be replaced by the new one */
function newKey(tx: Transaction, sender: Address, accounts: Accounts): AccountKey {
  const oldKey = accounts.account(sender)?.key ?? LEGACY_KEY;
  return updateAccountKey(oldKey, decodeAccountKey(tx.key as Uint8Array));
}

/** Calls any account, or creates a contract if there is no recipient. */
const ethereum: EffectRules = {
  check({ to }) {
    checkNotReserved(to);
  },
  run: (call) => (call.tx.to === undefined ? createContract(call) : callRecipient(call)),
};

/** Only uses up a nonce: a cancellation, or data anchored by its inclusion in the block. */
const nothing: EffectRules = {
  check() {},
  run: onlyRaiseNonce,
};

/** Rules of each transaction effect. */
export const EFFECTS: Readonly<Record<TransactionEffect, EffectRules>> = {
  transfer,
  memo: transfer,
  accountUpdate,
  deploy,
  execute,
  cancel: nothing,
  anchor: nothing,
  ethereum,
};
