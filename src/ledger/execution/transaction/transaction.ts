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
  type RequiredGas,
  requiredGas,
} from "./validate.ts";

/** The result of an applied transaction. */
export interface AppliedTransaction {
  readonly receipt: Receipt;
  readonly sender: Address;
  readonly feePayer: Address;
  /** Gas used × price, kei; without the blob fee. */
  readonly fee: bigint;
  readonly output: Uint8Array;
  /** The EVM's error text; absent on success. */
  readonly error?: string | undefined;
  /** Inputs of `console.log` calls; absent if there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/**
 * Executes one transaction of a block, in the order of the reference: type rules, signatures, nonce, fee caps, payment, gas,
 * value, effect, refund. Ends the journal's transaction.
 * @throws TransactionRejection if it is invalid in the block; the state is then unchanged
 * @throws EvmTimeout when the deadline passes; the state is then unchanged
 */
export function applyTransaction(
  tx: Transaction,
  block: BlockEnvironment,
  options: TransactionOptions = {},
): AppliedTransaction {
  const { state } = block;
  const { rules } = block.context;
  checkTypeRules(tx, state);
  // Gas overflow and invalid keys are reported before invalid signatures, whose gas is added once known.
  const bare = requiredGas(tx, 0n, rules);
  const { sender, feePayer, signatureGas } = checkSigners(tx, state, rules);
  const required = signatureGas === 0n ? bare : requiredGas(tx, signatureGas, rules);
  const payment: Payment = { tx, sender, feePayer, price: priceIn(tx, block.context) };
  checkNonce(tx, sender, state);
  const result = transition(payment, required, block, options);
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

/** The result of a state transition, without a receipt. */
export interface Transition extends Omit<EffectResult, "gasLeft"> {
  readonly gasUsed: bigint;
  /** Gas used before refunds: the minimum gas limit. */
  readonly maxGasUsed: bigint;
}

/**
 * Buys gas for a transaction, executes it and refunds what is left; nonce and signatures are not checked. The journal's
 * transaction stays open.
 * @throws TransactionRejection, EvmTimeout; the state is then unchanged
 */
export function transition(
  payment: Payment,
  required: RequiredGas,
  block: BlockEnvironment,
  options: TransactionOptions,
): Transition {
  const { state } = block;
  state.checkpoint();
  try {
    const result = paidTransition(payment, required, block, options);
    state.commit();
    return result;
  } catch (error) {
    state.revert();
    throw error;
  }
}

function paidTransition(
  payment: Payment,
  required: RequiredGas,
  block: BlockEnvironment,
  options: TransactionOptions,
): Transition {
  const { tx, sender, feePayer, price } = payment;
  const { state, context } = block;
  checkFeeCaps(tx, sender, context);
  checkBlobs(tx, sender, context);
  checkAuthorizationList(tx, sender);
  buyGas(payment, state, context);
  checkGas(tx, required);
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
  const gas = tx.gas - required.intrinsic;
  const result = EFFECTS[tx.type.effect].run({ tx, sender, gas, block, options, context: seen });
  const used = tx.gas - result.gasLeft;
  const gasUsed = gasAfterRefund(used, required.floor, state.refund, context.rules);
  returnGas(payment, tx.gas - gasUsed, state);
  if (block.feeRecipient !== undefined) state.addBalance(block.feeRecipient, gasUsed * price);
  const maxGasUsed = atLeast(used, required.floor);
  const { status, error, output, computation, console } = result;
  return { status, error, output, computation, console, gasUsed, maxGasUsed };
}

function atLeast(gas: bigint, floor: bigint): bigint {
  return gas < floor ? floor : gas;
}

/**
 * Gas charged. The refund is capped at half the gas used, from kore on at a fifth (EIP-3529); the floor from prague on is
 * applied last (EIP-7623).
 */
function gasAfterRefund(used: bigint, floor: bigint, refund: bigint, rules: Rules): bigint {
  const limit = used / (rules.kore ? 5n : 2n);
  const paid = used - (refund < limit ? refund : limit);
  return atLeast(paid, floor);
}

/** Whether any code will run, so that access costs matter; most transactions only transfer value. */
function runsCode(tx: Transaction, state: StateJournal): boolean {
  if (tx.to === undefined) return isCreation(tx);
  return tx.authorizationList !== undefined || state.code(tx.to).length > 0;
}

/** Warms the addresses and slots that are accessed from the start. @see EIP-2929, EIP-3651, EIP-2930 */
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
  const receipt = { status: result.status, gasUsed: result.gasUsed, bloom: logsBloom(logs), logs };
  if (recipientOf(tx) !== undefined) return receipt;
  return { ...receipt, contractAddress: contractAddress(sender, tx.nonce) };
}

function initCodeTooLarge({ input }: Transaction, rules: Rules): TransactionRejection {
  const text = `max initcode size exceeded: code size ${input.length} limit ${maxInitCodeBytes(rules)}`;
  return new TransactionRejection("INIT_CODE_TOO_LARGE", text);
}
