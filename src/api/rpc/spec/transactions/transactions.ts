import {
  address,
  bytes,
  hash,
  quantity,
  quantity64,
  quantityOf,
} from "../../../../protocol/codec/json/hex.ts";
import { list, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { LOCKED, NOT_TAKEN, UNKNOWN_ACCOUNT } from "../declared-errors.ts";
import { ALICE, BOB } from "../examples.ts";
import { method } from "../method.ts";
import { blockNumber } from "../values/block-ref.ts";
import {
  ethTransactionArgs,
  rawTransaction,
  rawTransactions,
  sendTxArgs,
} from "../values/transaction-args.ts";
import {
  maybeReceipt,
  maybeTransaction,
  signedTransaction,
  transactions as transactionList,
} from "../values/wire-types.ts";

const byHash = required(hash, "Hash of the transaction.");
const bySenderHash = required(hash, "Hash of the transaction as its sender signed it.");
const sender = required(address, "Account that signed; its key may have changed since.");
/** Transactions of one response of `getTransactionsBySender`. */
export const DEFAULT_PAGE_SIZE = 25;
export const MAX_POOL_PAGE_SIZE = 1_000;
const replacement = {
  gasPrice: optional(quantity, "New gas price in kei; 0 = the old one."),
  gas: optional(quantity64, "New gas limit; 0 = the old one."),
};
const place = {
  byNumber: {
    number: required(blockNumber, "Number of the block."),
    index: required(quantityOf(64, "hexutil.Uint"), "Index in the block."),
  },
  byHash: {
    hash: required(hash, "Hash of the block."),
    index: required(quantityOf(64, "hexutil.Uint"), "Index in the block."),
  },
};

/** Transactions as both namespaces read and accept them; each shows them in its own form. */
export const transactions = {
  getTransactionByHash: method({
    summary: "A transaction of the chain or of the pool; null when it is in neither.",
    params: { hash: byHash },
    result: maybeTransaction,
    scope: "chain",
  }),
  getTransactionByBlockNumberAndIndex: method({
    summary: "A transaction by its block and index.",
    params: place.byNumber,
    result: maybeTransaction,
    scope: "chain",
  }),
  getTransactionByBlockHashAndIndex: method({
    summary: "A transaction by its block and index.",
    params: place.byHash,
    result: maybeTransaction,
    scope: "chain",
  }),
  getTransactionBySenderAndNonce: method({
    summary: "The transaction of the chain that an account sent with a nonce; null when there is none.",
    params: { sender, nonce: required(quantity64, "Nonce of the transaction.") },
    result: maybeTransaction,
    scope: "chain",
    example: { params: [ALICE, "0x0"], result: null },
  }),
  getTransactionsBySender: method({
    summary: "Transactions of the chain that an account sent, by nonce.",
    params: {
      sender,
      from: optional(quantity64, "Nonce to start from; by default the lowest, with newestFirst the highest."),
      count: optional(
        quantity64,
        `How many at most: up to ${MAX_POOL_PAGE_SIZE}, by default ${DEFAULT_PAGE_SIZE}.`,
      ),
      newestFirst: optional(boolean, "Whether to list in descending order of nonces."),
    },
    result: transactionList,
    scope: "chain",
    example: { params: [ALICE, null, "0x2", true], result: [] },
  }),
  getTransactionReceipt: method({
    summary: "Receipt of a transaction; null until it is in a block.",
    params: { hash: byHash },
    result: maybeReceipt,
    scope: "chain",
  }),
  getRawTransactionByHash: method({
    summary: "Encoded transaction of the chain or the pool; empty when it is in neither.",
    params: { hash: byHash },
    result: bytes,
    scope: "chain",
  }),
  getRawTransactionByBlockNumberAndIndex: method({
    summary: "Encoded transaction by its block and index; empty when there is none.",
    params: place.byNumber,
    result: bytes,
    scope: "chain",
  }),
  getRawTransactionByBlockHashAndIndex: method({
    summary: "Encoded transaction by its block and index; empty when there is none.",
    params: place.byHash,
    result: bytes,
    scope: "chain",
  }),
  sendRawTransaction: method({
    summary: "Adds a signed transaction to the pool and returns its hash.",
    params: {
      raw: required(
        rawTransaction,
        "The encoded transaction; blobs with their sidecar, whose proofs are verified.",
      ),
    },
    result: hash,
    scope: "send",
    errors: [...NOT_TAKEN],
  }),
  pendingTransactions: method({
    summary: "Executable transactions of the pool whose senders' keys this node holds.",
    params: {},
    result: transactionList,
    scope: "keys",
  }),
};

/** Methods that only the chain namespace has. */
export const kaiaTransactions = {
  getTransactionBySenderTxHash: method({
    summary: "A transaction by the hash that its sender knew before the fee payer signed.",
    params: { hash: bySenderHash },
    result: maybeTransaction,
    scope: "chain",
  }),
  getTransactionReceiptBySenderTxHash: method({
    summary: "A receipt by the hash that the sender knew before the fee payer signed.",
    params: { hash: bySenderHash },
    result: maybeReceipt,
    scope: "chain",
  }),
  getTransactionReceiptInCache: method({
    summary: "As getTransactionReceipt; this node needs no separate cache for it.",
    params: { hash: required(hash, "Hash of the transaction.") },
    result: maybeReceipt,
    scope: "chain",
  }),
  getDecodedAnchoringTransactionByHash: method({
    summary: "The block of another chain that an anchoring transaction in the chain or the pool anchors.",
    params: { hash: required(hash, "Hash of the transaction.") },
    result: wire<Json>("AnchoredBlock", {
      type: "object",
      description: "The block of the other chain: hash, number, roots and counts.",
    }),
    scope: "chain",
  }),
  resend: method({
    summary:
      "Replaces a pending transaction of an unlocked account by one with another gas price or gas limit.",
    params: { tx: required(sendTxArgs, "The transaction, with its nonce."), ...replacement },
    result: hash,
    scope: "send",
  }),
  sendRawTransactions: method({
    summary: "Adds signed transactions to the pool until one is rejected.",
    params: { raws: required(rawTransactions, "The encoded transactions.") },
    result: list(hash),
    scope: "send",
  }),
  sendTransaction: method({
    summary: "Signs a transaction with the key of `from`, which must be unlocked, and adds it to the pool.",
    params: { tx: required(sendTxArgs, "The transaction.") },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, LOCKED, ...NOT_TAKEN],
    example: {
      params: [{ typeInt: 8, from: ALICE, to: BOB, value: "0x1", gas: "0x7530", gasPrice: "0xba43b7400" }],
      result: "0x1852a683702c3204c6c77c9be542911621f939b0d3d5f207c0afa538d2bad5dd",
    },
  }),
  signTransaction: method({
    summary: "Signs a transaction with the key of `from`, which must be unlocked.",
    params: { tx: required(sendTxArgs, "The transaction.") },
    result: signedTransaction,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, LOCKED],
  }),
  sendTransactionAsFeePayer: method({
    summary:
      "Signs a transaction with the key of its fee payer, which must be unlocked, and adds it to the pool.",
    params: { tx: required(sendTxArgs, "The transaction, with the sender's signatures.") },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, LOCKED, ...NOT_TAKEN],
  }),
  signTransactionAsFeePayer: method({
    summary: "Signs a transaction with the key of its fee payer, which must be unlocked.",
    params: { tx: required(sendTxArgs, "The transaction, with or without the sender's signatures.") },
    result: signedTransaction,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, LOCKED],
  }),
};

/** Methods that only the eth namespace has. */
export const ethTransactions = {
  resend: method({
    summary:
      "Replaces a pending transaction of an unlocked account by one with another gas price or gas limit.",
    params: { tx: required(ethTransactionArgs, "The transaction, with its nonce."), ...replacement },
    result: hash,
    scope: "send",
  }),
  sendTransaction: method({
    summary:
      "Signs an Ethereum transaction with the key of `from`, which must be unlocked, and adds it to the pool.",
    params: { tx: required(ethTransactionArgs, "The transaction.") },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, LOCKED, ...NOT_TAKEN],
    example: {
      params: [{ from: ALICE, to: BOB, value: "0x1", gas: "0x5208", gasPrice: "0xba43b7400" }],
      result: "0xd970a0fce640219ec038b2f105932184bb087e318f1705aeb53018a45da27851",
    },
  }),
  signTransaction: method({
    summary: "Signs an Ethereum transaction with the key of `from`, which must be unlocked.",
    params: { tx: required(ethTransactionArgs, "The transaction; gas, price and nonce must be given.") },
    result: signedTransaction,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, LOCKED],
  }),
  fillTransaction: method({
    summary: "Fills in what is missing in an Ethereum transaction: nonce, gas limit and prices.",
    params: { tx: required(ethTransactionArgs, "The transaction.") },
    result: signedTransaction,
    scope: "node",
  }),
};
