/** Bytes, hashes and values of transactions: the public face of encoding, decoding and hashing. */
export {
  decodeTransaction,
  decodeTransactions,
  decodeTransactionsInSteps,
  readTransaction,
} from "./decoding.ts";
export { encodeTransaction, transactionSize, withoutSidecar } from "./encoding.ts";
export {
  feePayerSigningPayload,
  senderTransactionHash,
  signingHash,
  signingPayload,
  transactionHash,
} from "./hash.ts";
export { createTransaction, type TransactionParts } from "./value.ts";
