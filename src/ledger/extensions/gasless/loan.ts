import { addressOfPrivateKey } from "../../../protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import { type TransactionType, TypeCode } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";

/** Gas of a plain value transfer. */
const TRANSFER_GAS = 21_000n;
const DYNAMIC_FEE = transactionType(TypeCode.dynamicFee) as TransactionType;

/** The loan for the sender of a bundle, kei: gas limits × prices of its transactions. */
export function lendAmount(approve: Transaction | undefined, swap: Transaction): bigint {
  return (approve === undefined ? 0n : approve.gas * approve.gasPrice) + swap.gas * swap.gasPrice;
}

/** The repayment due from the swap, kei: the loan plus the fee of the lending transaction. */
export function repayAmount(approve: Transaction | undefined, swap: Transaction): bigint {
  return swap.gasPrice * TRANSFER_GAS + lendAmount(approve, swap);
}

/** A proposer that lends fees. */
export class Lender {
  readonly address: Address;
  readonly #key: Uint8Array;
  readonly #chainId: bigint;

  /** @param key - 32-byte private key of the proposer, whom the swap repays */
  constructor(key: Uint8Array, chainId: bigint) {
    this.#key = key;
    this.#chainId = chainId;
    this.address = addressOfPrivateKey(key);
  }

  /** The lending transaction, at the price of the swap. */
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
