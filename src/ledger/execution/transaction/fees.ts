import { checksumAddress } from "../../../protocol/account/address.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { effectiveGasPrice, splitFee } from "../../../protocol/transaction/fees.ts";
import { blobGas } from "../../../protocol/transaction/gas.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import type { BlockContext } from "../../evm/evm.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { TransactionRejection } from "../errors.ts";

/** A transaction with its payers and its price. */
export interface Payment {
  readonly tx: Transaction;
  readonly sender: Address;
  /** The sender if the fee is not delegated. */
  readonly feePayer: Address;
  /** Effective gas price in this block, kei. */
  readonly price: bigint;
}

const MAX_UINT256 = 2n ** 256n - 1n;

/** Price per gas paid by a transaction in a block, kei. */
export function priceIn(tx: Transaction, context: BlockContext): bigint {
  const { rules } = context;
  return effectiveGasPrice(tx, rules.magma ? context.baseFee : undefined, rules);
}

/**
 * Charges the payers for the transaction's gas limit and its blobs.
 *
 * Before osaka, the balances must cover the amounts charged; from osaka on, the maximum the transaction allows, and the
 * sender's also the value.
 * @throws TransactionRejection `INSUFFICIENT_FUNDS`, `INSUFFICIENT_VALUE`
 */
export function buyGas(payment: Payment, state: StateJournal, context: BlockContext): void {
  const { tx, sender, feePayer, price } = payment;
  const { osaka } = context.rules;
  const blobs = osaka ? blobGas(tx) : 0n;
  const paid = tx.gas * price + blobs * context.blobBaseFee;
  const needed = osaka ? tx.gas * tx.gasPrice + blobs * (tx.maxFeePerBlobGas ?? 0n) : paid;
  const value = osaka ? tx.value : undefined;
  if (equalBytes(feePayer, sender)) {
    checkFunds(feePayer, "fee payer", needed, value, state, osaka);
    state.subBalance(feePayer, paid);
    return;
  }
  const shares = sharesOf(tx, paid);
  const neededShares = sharesOf(tx, needed);
  checkFunds(feePayer, "fee payer", neededShares.feePayer, undefined, state, osaka);
  checkFunds(sender, "sender", neededShares.sender, value, state, osaka);
  state.subBalance(feePayer, shares.feePayer);
  state.subBalance(sender, shares.sender);
}

/** Returns the price of unused gas, split in the same shares. */
export function returnGas(
  { tx, sender, feePayer, price }: Payment,
  gasLeft: bigint,
  state: StateJournal,
): void {
  const shares = sharesOf(tx, gasLeft * price);
  state.addBalance(feePayer, shares.feePayer);
  if (tx.type.feeMode === "shared") state.addBalance(sender, shares.sender);
}

/** The shares of fee payer and sender in an amount; without a fee ratio, the fee payer pays all. */
function sharesOf(tx: Transaction, amount: bigint): { feePayer: bigint; sender: bigint } {
  return tx.type.feeMode === "shared" ? splitFee(amount, tx.feeRatio ?? 0) : { feePayer: amount, sender: 0n };
}

function checkFunds(
  address: Address,
  who: "sender" | "fee payer",
  fee: bigint,
  value: bigint | undefined,
  state: StateJournal,
  osaka: boolean,
): void {
  if (osaka && fee + (value ?? 0n) > MAX_UINT256) {
    const text = "insufficient funds for gas * price + value";
    const reason = `address ${checksumAddress(address)} required balance exceeds 256 bits`;
    throw new TransactionRejection("INSUFFICIENT_FUNDS", `${text}: ${reason}`);
  }
  const balance = state.balance(address);
  if (balance < fee) {
    throw new TransactionRejection("INSUFFICIENT_FUNDS", `insufficient balance of the ${who} to pay for gas`);
  }
  if (value !== undefined && balance < fee + value) throw insufficientValue();
}

/** The sender cannot pay the value. */
export function insufficientValue(): TransactionRejection {
  return new TransactionRejection("INSUFFICIENT_VALUE", "insufficient balance for transfer");
}
