import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { signTransaction } from "../../../protocol/transaction/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";

/** Gas of a transaction that only moves value. */
const TRANSFER_GAS = 21_000n;
const DYNAMIC_FEE = transactionType(TypeCode.dynamicFee) as TransactionType;

/** What the sender of a bundle needs for its own transactions, kei: their gas limits × prices. */
export function lendAmount(approve: Transaction | undefined, swap: Transaction): bigint {
  return (approve === undefined ? 0n : approve.gas * approve.gasPrice) + swap.gas * swap.gasPrice;
}

/** What the swap must give back, kei: the loan and the fee of the transaction that lends it. */
export function repayAmount(approve: Transaction | undefined, swap: Transaction): bigint {
  return swap.gasPrice * TRANSFER_GAS + lendAmount(approve, swap);
}

/** A proposer that lends fees. */
export class Lender {
  readonly address: Address;
  readonly #key: Uint8Array;
  readonly #chainId: bigint;

  /** @param key - 32 bytes; the block's proposer, who is whom the swap repays */
  constructor(key: Uint8Array, chainId: bigint) {
    this.#key = key;
    this.#chainId = chainId;
    this.address = addressOfPublicKey(publicKeyOf(key));
  }

  /** The transaction that lends, at the price of the swap. */
  lend(to: Address, approve: Transaction | undefined, swap: Transaction, nonce: bigint): Transaction {
    const unsigned = createTransaction({
      type: DYNAMIC_FEE,
      nonce,
      to,
      value: lendAmount(approve, swap),
      gas: TRANSFER_GAS,
      gasPrice: swap.gasPrice,
      maxPriorityFeePerGas: swap.gasPrice,
      input: EMPTY_BYTES,
      accessList: [],
      chainId: this.#chainId,
    });
    return signTransaction(unsigned, [this.#key], this.#chainId);
  }
}
