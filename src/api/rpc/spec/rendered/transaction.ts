import { address, bytes, hash, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import * as fields from "../../../../protocol/transaction/fields.ts";
import { rendered } from "./rendered.ts";

/** A signature as Kaia shows it. */
const kaiaSignature = rendered("Signature", "A signature.", {
  V: required(quantity, "Recovery id, with the chain id."),
  R: required(quantity, "First 32 bytes."),
  S: required(quantity, "Last 32 bytes."),
});
const signatures = list(kaiaSignature);
const accessList: Schema<unknown> = fields.accessList.schema;
const authorizationList: Schema<unknown> = fields.authorizationList.schema;

/** What every transaction shows; a receipt in `kaia_` too. */
export const place = {
  blockHash: required(
    nullable(hash),
    "Hash of its block; of a pending one null in `eth_`, zeros in `kaia_`.",
  ),
  blockNumber: required(
    nullable(quantity64),
    "Number of its block; of a pending one null in `eth_`, 0 in `kaia_`.",
  ),
  transactionIndex: required(nullable(quantity64), "Index in its block; of a pending one null in `eth_`."),
  from: required(address, "Sender."),
  type: required(string, "`TxTypeValueTransfer` … in `kaia_`, `0x0` to `0x4` in `eth_`."),
  to: optional(nullable(address), "Receiver; null where a contract is created."),
};

/** Members of the transaction types, in one namespace or both. */
export const fieldsOfTypes = {
  nonce: optional(quantity64, "Nonce of the sender."),
  gas: optional(quantity64, "Gas limit."),
  gasPrice: optional(quantity, "Gas price paid, in kei; for a pending transaction, the offered price."),
  value: optional(quantity, "Amount in kei."),
  input: optional(bytes, "Call data, memo, code or anchored data."),
  maxFeePerGas: optional(quantity, "Maximum fee per gas, for types with a fee cap."),
  maxPriorityFeePerGas: optional(quantity, "Maximum priority fee per gas, for types with a fee cap."),
  maxFeePerBlobGas: optional(quantity, "Maximum fee per blob gas."),
  blobVersionedHashes: optional(list(hash), "Versioned hashes of the blobs."),
  accessList: optional(wire<Json>("AccessList", accessList.json), "Accounts and slots that will be touched."),
  authorizationList: optional(
    wire<Json>("AuthorizationList", authorizationList.json),
    "Authorizations to delegate to code (EIP-7702).",
  ),
  chainId: optional(quantity, "Chain on which it is valid, for Ethereum's typed transactions."),
};

/** Members of Kaia's own form only. */
export const kaiaFields = {
  typeInt: optional(small(int), "Number of the type. `kaia_` only, as are the members below."),
  senderTxHash: optional(hash, "Hash without the fee payer's part, which the sender knows beforehand."),
  signatures: optional(signatures, "Signatures of the sender."),
  feePayer: optional(address, "Who pays the fee."),
  feePayerSignatures: optional(signatures, "Signatures of the fee payer."),
  feeRatio: optional(quantity64, "Percentage of the fee that the fee payer pays."),
  key: optional(bytes, "New account key, encoded."),
  codeFormat: optional(quantity64, "0x0 (EVM)."),
  humanReadable: optional(boolean, "false."),
  inputJSON: optional(wire<Json>("AnchoredData", {}), "Decoded anchored data."),
};

/** A transaction. */
export const transaction = rendered("Transaction", "A transaction with its position in the chain.", {
  hash: required(hash, "Hash of the transaction."),
  ...place,
  ...fieldsOfTypes,
  v: optional(quantity, "Recovery id of the first signature; `eth_` only, as are r and s."),
  r: optional(quantity, "Its first 32 bytes."),
  s: optional(quantity, "Its last 32 bytes."),
  ...kaiaFields,
});
