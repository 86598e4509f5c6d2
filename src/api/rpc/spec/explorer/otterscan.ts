import { address, bytes, hash } from "../../../../protocol/codec/json/hex.ts";
import { nullable, object, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type Schema } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { method } from "../method.ts";
import { blockNumber, blockRef } from "../values/block-ref.ts";
import { quantityOrNumber } from "../values/number.ts";
import { maybeHeader } from "../values/wire-types.ts";

/** Version of the interface that is served. */
export const OTTERSCAN_LEVEL = 8;
/** Maximum transactions of a page, apart from the rest of its last block. */
export const MAX_PAGE_SIZE = 100n;

const wireObject = (title: string, description: string) => wire<Json>(title, { type: "object", description });

const details = wireObject(
  "BlockDetails",
  "`block` without its transactions and bloom, but with `transactionCount`; `issuance`; `totalFees`.",
);
const blockPage = wireObject(
  "BlockPage",
  "`fullblock` with the transactions of a page, and their `receipts`.",
);
const page = wireObject(
  "TransactionPage",
  "`txs` and their `receipts`, the newest first; `firstPage`, `lastPage`: whether there are no newer, no older ones.",
);
const operations = wire<readonly Json[]>("InternalOperation[]", {
  type: "array",
  items: {
    type: "object",
    description: "`type` (0 transfer, 1 destruction, 2 CREATE, 3 CREATE2), `from`, `to` and `value`.",
  },
});
const entries = wire<readonly Json[]>("TraceEntry[]", {
  type: "array",
  items: {
    type: "object",
    description:
      "`type`, `depth`, `from`, `to`, `value` (null where none can be sent), `input` and `output`.",
  },
});
const creator = object("ContractCreator", {
  hash: required(hash, "The transaction."),
  creator: required(address, "Its creator in that transaction: an account, or another contract."),
});

const byHash = required(hash, "Hash of the transaction.");
/** Otterscan writes the number of a block as a JSON integer. */
const searchedBlock: Schema<bigint> = { ...quantityOrNumber, denotes: "block" };
const searched = (from: string) => ({
  address: required(address, "Account involved in the transaction, or in a call inside it."),
  block: required(searchedBlock, from),
  size: required(
    quantityOrNumber,
    `Transactions of a page, up to ${MAX_PAGE_SIZE}; its last block is shown whole.`,
  ),
});

/** Methods that Otterscan calls besides `eth_`. @see https://docs.otterscan.io/api-docs/ots-api */
export const otterscan = {
  getApiLevel: method({
    summary: "Version of this interface.",
    params: {},
    result: wire<number>("level", { type: "integer" }),
    scope: "node",
    example: { params: [], result: OTTERSCAN_LEVEL },
  }),
  hasCode: method({
    summary: "Whether an account has code.",
    params: {
      address: required(address, "The account."),
      block: optional(blockRef, "After which block; default the newest."),
    },
    result: boolean,
    scope: "state",
  }),
  getBlockDetails: method({
    summary:
      "A block without its transactions, with what was issued and paid in it; null when there is none.",
    params: { number: required(blockNumber, "Number of the block.") },
    result: nullable(details),
    scope: "chain",
  }),
  getBlockDetailsByHash: method({
    summary: "As ots_getBlockDetails, by the hash of the block.",
    params: { hash: required(hash, "Hash of the block.") },
    result: nullable(details),
    scope: "chain",
  }),
  getBlockTransactions: method({
    summary:
      "A page of the transactions of a block, the first page with the last of them; inputs as selectors.",
    params: {
      number: required(blockNumber, "Number of the block."),
      page: required(quantityOrNumber, "Number of the page, from 0."),
      size: required(quantityOrNumber, `Transactions of a page, up to ${MAX_PAGE_SIZE}.`),
    },
    result: nullable(blockPage),
    scope: "chain",
  }),
  searchTransactionsBefore: method({
    summary: "Transactions that involve an account, from blocks before a given one, newest first.",
    params: searched("Blocks before this one; 0 = from the newest."),
    result: page,
    scope: "chain",
  }),
  searchTransactionsAfter: method({
    summary:
      "The oldest transactions that involve an account, from blocks after a given one; listed newest first.",
    params: searched("Blocks after this one; 0 = from the first."),
    result: page,
    scope: "chain",
  }),
  getTransactionBySenderAndNonce: method({
    summary: "Hash of the transaction that an account sent with a nonce; null when there is none.",
    params: {
      sender: required(address, "The account."),
      nonce: required(quantityOrNumber, "The nonce."),
    },
    result: nullable(hash),
    scope: "chain",
  }),
  getContractCreator: method({
    summary: "The transaction and the account that created a contract; null if no transaction did.",
    params: { address: required(address, "The contract.") },
    result: nullable(creator),
    scope: "state",
  }),
  getInternalOperations: method({
    summary: "Transfers, creations and destructions inside a transaction that were not reverted.",
    params: { hash: byHash },
    result: operations,
    scope: "chain",
  }),
  traceTransaction: method({
    summary: "The calls of a transaction with their depths, in order; null when it is not in the chain.",
    params: { hash: byHash },
    result: nullable(entries),
    scope: "chain",
  }),
  getTransactionError: method({
    summary: "The transaction's revert data; `0x` if it was not reverted.",
    params: { hash: byHash },
    result: bytes,
    scope: "chain",
  }),
};

/** Methods of Erigon that Otterscan calls. */
export const erigon = {
  getHeaderByNumber: method({
    summary: "A block header by its number, as `eth_getHeaderByNumber` shows it.",
    params: { number: required(blockNumber, "Number of the block.") },
    result: maybeHeader,
    scope: "chain",
  }),
};
