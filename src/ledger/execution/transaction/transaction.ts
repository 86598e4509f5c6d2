import { contractAddress } from "../../../protocol/account/address.ts";
import { delegationTarget } from "../../../protocol/account/delegation.ts";
import { logsBloom } from "../../../protocol/block/bloom.ts";
import type { Receipt } from "../../../protocol/block/receipt.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { maxInitCodeBytes } from "../../../protocol/params/gas.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { isCreation } from "../../../protocol/transaction/gas.ts";
import { recipientOf } from "../../../protocol/transaction/recipient.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { TransactionContext } from "../../evm/evm.ts";
import { warmPrecompiles } from "../../evm/precompiles/index.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { BlockEnvironment, TransactionOptions } from "../environment.ts";
import { TransactionRejection } from "../errors.ts";
import { applyAuthorizations } from "./authorizations.ts";
import type { EffectResult } from "./effects.ts";
import { EFFECTS } from "./effects.ts";
import { buyGas, insufficientValue, type Payment, priceIn, returnGas } from "./fees.ts";
import { checkAuthorizationList, checkBlobs, checkFeeCaps, checkNonce } from "./precheck.ts";
import {
  checkGas,
  checkSigners,
  checkTypeRules,
  exceedsInitCodeLimit,
  type GasNeeds,
  gasNeeds,
} from "./validate.ts";

/** The result of a transaction. */
export interface AppliedTransaction {
  readonly receipt: Receipt;
  readonly sender: Address;
  readonly feePayer: Address;
  /** Gas used × price, kei; without the price of blobs. */
  readonly fee: bigint;
  readonly output: Uint8Array;
  /** The error's own text; absent on success. */
  readonly error?: string | undefined;
  /** Inputs of the calls that wrote to the console; absent where there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/**
 * Executes one transaction of a block, in the order of the reference: type rules, signatures, nonce, prices, payment, gas,
 * value, effect, refund. Ends the journal's transaction.
 * @throws TransactionRejection when it cannot stand in the block; the state is then as before
 * @throws EvmTimeout when the deadline passes; the state is then as before
 */
export function applyTransaction(
  tx: Transaction,
  block: BlockEnvironment,
  options: TransactionOptions = {},
): AppliedTransaction {
  const { state } = block;
  const { rules } = block.context;
  checkTypeRules(tx, state);
  // Overflow and a key too large come before the signatures, whose gas is added when it is known.
  const bare = gasNeeds(tx, 0n, rules);
  const { sender, feePayer, signatureGas } = checkSigners(tx, state, rules);
  const needs = signatureGas === 0n ? bare : gasNeeds(tx, signatureGas, rules);
  const payment: Payment = { tx, sender, feePayer, price: priceIn(tx, block.context) };
  checkNonce(tx, sender, state);
  const result = transition(payment, needs, block, options);
  const receipt = receiptOf(result, tx, sender, state);
  options.beforeEnd?.(result);
  state.endTransaction();
  return {
    receipt,
    sender,
    feePayer,
    fee: result.gasUsed * payment.price,
    output: result.output,
    error: result.error,
    console: result.console,
  };
}

/** The result of a transition, before its receipt. */
export interface Transition extends Omit<EffectResult, "gasLeft"> {
  readonly gasUsed: bigint;
  /** Gas used before refunds: what it needs at least. */
  readonly gasAtMost: bigint;
}

/**
 * Pays for a transaction, runs it and settles; nonce and signatures are not looked at. The journal's transaction stays
 * open.
 * @throws TransactionRejection, EvmTimeout; the state is then as before
 */
export function transition(
  payment: Payment,
  needs: GasNeeds,
  block: BlockEnvironment,
  options: TransactionOptions,
): Transition {
  const { state } = block;
  state.checkpoint();
  try {
    const result = paidTransition(payment, needs, block, options);
    state.commit();
    return result;
  } catch (error) {
    state.revert();
    throw error;
  }
}

function paidTransition(
  payment: Payment,
  needs: GasNeeds,
  block: BlockEnvironment,
  options: TransactionOptions,
): Transition {
  const { tx, sender, feePayer, price } = payment;
  const { state, context } = block;
  checkFeeCaps(tx, sender, context);
  checkBlobs(tx, sender, context);
  checkAuthorizationList(tx, sender);
  buyGas(payment, state, context);
  checkGas(tx, needs);
  if (tx.value > 0n && state.balance(sender) < tx.value) throw insufficientValue();
  if (runsCode(tx, state)) warmUp(payment, state, block);
  delegate(payment, state, context.rules);
  if (exceedsInitCodeLimit(tx, context.rules)) throw initCodeTooLarge(tx, context.rules);

  const seen: TransactionContext = {
    origin: sender,
    gasPrice: price,
    feePayer,
    blobHashes: tx.blobVersionedHashes ?? [],
  };
  const gas = tx.gas - needs.intrinsic;
  const result = EFFECTS[tx.type.effect].run({ tx, sender, gas, block, options, context: seen });
  const used = tx.gas - result.gasLeft;
  const gasUsed = gasAfterRefund(used, needs.floor, state.refund, context.rules);
  returnGas(payment, tx.gas - gasUsed, state);
  if (block.feeRecipient !== undefined) state.addBalance(block.feeRecipient, gasUsed * price);
  const gasAtMost = atLeast(used, needs.floor);
  const { status, error, output, computation, console } = result;
  return { status, error, output, computation, console, gasUsed, gasAtMost };
}

function atLeast(gas: bigint, floor: bigint): bigint {
  return gas < floor ? floor : gas;
}

/**
 * Refunds are capped at half, from kore at a fifth, of the gas used; from prague the floor applies last. @see EIP-3529
 */
function gasAfterRefund(used: bigint, floor: bigint, refund: bigint, rules: Rules): bigint {
  const limit = used / (rules.kore ? 5n : 2n);
  const paid = used - (refund < limit ? refund : limit);
  return atLeast(paid, floor);
}

/** Whether any code will run, so that access costs matter: most transactions only move value. */
function runsCode(tx: Transaction, state: StateJournal): boolean {
  if (tx.to === undefined) return isCreation(tx);
  return tx.authorizationList !== undefined || state.code(tx.to).length > 0;
}

/** Addresses and slots that cost the warm price from the start. @see EIP-2929, EIP-3651, EIP-2930 */
function warmUp({ tx, sender, feePayer }: Payment, state: StateJournal, block: BlockEnvironment): void {
  const { rules, coinbase } = block.context;
  if (!rules.kore) return;
  state.warm(sender);
  state.warm(feePayer);
  const recipient = recipientOf(tx);
  if (recipient !== undefined) state.warm(recipient);
  state.keepWarm(warmPrecompiles(rules));
  if (rules.shanghai) state.warm(coinbase);
  if (!rules.cancun) return;
  for (const { address, storageKeys } of tx.accessList ?? []) {
    state.warm(address);
    for (const slot of storageKeys) state.warmSlot(address, slot);
  }
}

/** Applies authorizations and warms the account whose code will run for the recipient. @see EIP-7702 */
function delegate({ tx, sender }: Payment, state: StateJournal, rules: Rules): void {
  const recipient = recipientOf(tx);
  if (recipient === undefined) return;
  if (tx.authorizationList !== undefined) {
    state.setNonce(sender, state.nonce(sender) + 1n);
    applyAuthorizations(tx, state, rules.chainId);
  }
  if (!rules.prague) return;
  const target = delegationTarget(state.code(recipient));
  if (target !== undefined) state.warm(target);
}

function receiptOf(result: Transition, tx: Transaction, sender: Address, state: StateJournal): Receipt {
  const logs = [...state.logs];
  return {
    status: result.status,
    gasUsed: result.gasUsed,
    bloom: logsBloom(logs),
    logs,
    ...(recipientOf(tx) === undefined ? { contractAddress: contractAddress(sender, tx.nonce) } : {}),
  };
}

function initCodeTooLarge({ input }: Transaction, rules: Rules): TransactionRejection {
  const text = `max initcode size exceeded: code size ${input.length} limit ${maxInitCodeBytes(rules)}`;
  return new TransactionRejection("INIT_CODE_TOO_LARGE", text);
}
