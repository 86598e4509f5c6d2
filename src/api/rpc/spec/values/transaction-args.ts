import { address, bytes, quantity, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, object } from "../../../../protocol/codec/json/object.ts";
import { boolean, integer, small } from "../../../../protocol/codec/json/scalars.ts";
import {
  defaulted,
  omissible,
  optional,
  type Schema,
  type TypeOf,
} from "../../../../protocol/codec/json/schema.ts";
import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import * as fields from "../../../../protocol/transaction/fields.ts";
import type {
  AccessListEntry,
  Authorization,
  Signature,
} from "../../../../protocol/transaction/transaction.ts";

const accessListSchema: Schema<readonly AccessListEntry[]> = fields.accessList.schema;
const authorizationListSchema: Schema<readonly Authorization[]> = fields.authorizationList.schema;
const signaturesSchema: Schema<readonly Signature[]> = fields.signatures.schema;

const typeInt = integer("transaction type", { goType: "types.TxType", min: 0n, max: 0xffffn });
const byte = (goType: string) => integer("byte", { goType, min: 0n, max: 0xffn });

const sender = defaulted(address, ZERO_ADDRESS, "Sender.");
const receiver = optional(address, "Receiver; without one a contract is created.");
const gas = optional(quantity64, "Gas limit; default 90000.");
const gasPrice = optional(
  quantity,
  "Gas price in kei; default: what the next block requires, with a margin.",
);
const nonce = optional(quantity64, "Default: the sender's next one, counting pending transactions.");
const value = optional(quantity, "Amount in kei.");
const maxFeePerGas = optional(quantity, "Maximum fee per gas in kei, for types with a fee cap.");
const maxPriorityFeePerGas = optional(
  quantity,
  "Maximum priority fee per gas in kei, for types with a fee cap.",
);
const accessList = optional(accessListSchema, "Accounts and slots that will be touched.");
const chainId = optional(quantity, "Chain on which the transaction is valid.");
const authorizationList = optional(authorizationListSchema, "Authorizations to delegate to code (EIP-7702).");

const klaytnSendTxMembers = {
  typeInt: optional(typeInt, "Code of the transaction type; default 0 (legacy)."),
  from: sender,
  to: receiver,
  gas,
  gasPrice,
  maxPriorityFeePerGas,
  maxFeePerGas,
  value,
  nonce,
  data: optional(bytes, "Older name of `input`, for legacy transactions only."),
  input: optional(bytes, "Call data, memo, code or anchored data."),
  codeFormat: optional(byte("params.CodeFormat"), "Format of deployed code: 0 (EVM)."),
  humanReadable: optional(boolean, "false; human-readable addresses do not exist any more."),
  key: optional(bytes, "New account key, RLP-encoded."),
  accessList,
  chainId,
  feePayer: optional(address, "Account that pays the fee."),
  feeRatio: optional(
    small(byte("types.FeeRatio")),
    "Percentage of the fee that the fee payer pays, 1 to 99.",
  ),
  signatures: optional(signaturesSchema, "Signatures of the sender, when the fee payer signs."),
};

/** A transaction of any type, as `personal_sendTransaction` and the chain namespace take it. */
export const sendTxArgs = object(
  "SendTxArgs",
  { ...klaytnSendTxMembers, authorizationList },
  { goType: "api.SendTxArgs", denotes: "call" },
);

/** `SendTxArgs` of Klaytn v1.12.1, which knows no authorizations. */
export const klaytnSendTxArgs = object("SendTxArgs", klaytnSendTxMembers, {
  goType: "api.SendTxArgs",
  denotes: "call",
});
/** A decoded transaction of the chain namespace. */
export type SendTxArgs = TypeOf<typeof sendTxArgs>;

/** Stands for an omitted recipient: null is not an address, and is reported by a later error. */
const NO_RECEIVER = new Uint8Array(0);

/** `personal_sendValueTransfer` */
export const valueTransferArgs = object(
  "ValueTransferTxArgs",
  {
    from: sender,
    gas,
    gasPrice,
    nonce,
    to: defaulted(address, NO_RECEIVER, "Receiver; a transfer without one is rejected."),
    value,
  },
  { goType: "api.ValueTransferTxArgs" },
);

/** `personal_sendAccountUpdate` */
export const accountUpdateArgs = object(
  "AccountUpdateTxArgs",
  { from: sender, gas, gasPrice, nonce, key: optional(bytes, "New account key, RLP-encoded.") },
  { goType: "api.AccountUpdateTxArgs" },
);
/** A decoded account update. */
export type AccountUpdateArgs = TypeOf<typeof accountUpdateArgs>;

/** A transaction of an Ethereum type, as the eth namespace takes it; calls of both namespaces too. */
export const ethTransactionArgs = object(
  "EthTransactionArgs",
  {
    from: optional(address, "Sender; default: the zero address."),
    to: receiver,
    gas: optional(quantity64, "Gas limit; default: estimated, for calls the highest that is allowed."),
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    value,
    nonce,
    data: optional(bytes, "Older name of `input`."),
    input: optional(bytes, "Call data, or code of a new contract."),
    accessList,
    chainId,
    authorizationList,
  },
  { goType: "api.EthTransactionArgs", denotes: "call" },
);
/** A decoded transaction of an Ethereum type. */
export type EthTransactionArgs = TypeOf<typeof ethTransactionArgs>;

/** A call in the chain namespace. */
export const callArgs = object(
  "CallArgs",
  {
    from: sender,
    to: receiver,
    gas: optional(quantity64, "Gas limit; default: the highest that is allowed."),
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    value: defaulted(quantity, 0n, "Amount in kei."),
    data: omissible(bytes, "Older name of `input`."),
    input: omissible(bytes, "Call data, or code of a new contract."),
    accessList,
    chainId,
  },
  { goType: "api.CallArgs", denotes: "call" },
);

/** A signed transaction, encoded. */
export const rawTransaction: Schema<Uint8Array> = { ...bytes, denotes: "signedTransaction" };

/** Several signed transactions. */
export const rawTransactions = list(bytes, "[]hexutil.Bytes");
