import { hash, quantity64, quantityOf } from "../../../../protocol/codec/json/hex.ts";
import { nullable } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { blockNumber, blockRef } from "../values/block-ref.ts";
import { maybeBlock, maybeHeader, receipts } from "../values/wire-types.ts";

const number = required(blockNumber, "Number of the block.");
const byHash = required(hash, "Hash of the block.");
const whole = required(boolean, "Whether to return transaction objects instead of hashes.");
const place = quantityOf(64, "hexutil.Uint");
const count = nullable(place);

/** Blocks as both namespaces read them; each shows them in its own form. */
export const blocks = {
  blockNumber: method({
    summary: "Number of the newest block.",
    params: {},
    result: quantity64,
    scope: "chain",
    example: { params: [], result: "0x0" },
  }),
  getBlockByNumber: method({
    summary: "A block by its number.",
    params: { number, transactions: whole },
    result: maybeBlock,
    scope: "chain",
  }),
  getBlockByHash: method({
    summary: "A block by its hash.",
    params: { hash: byHash, transactions: whole },
    result: maybeBlock,
    scope: "chain",
  }),
  getHeaderByNumber: method({
    summary: "A block header by its number.",
    params: { number },
    result: maybeHeader,
    scope: "chain",
  }),
  getHeaderByHash: method({
    summary: "A block header by its hash.",
    params: { hash: byHash },
    result: maybeHeader,
    scope: "chain",
  }),
  getBlockTransactionCountByNumber: method({
    summary: "Number of transactions of a block; null when there is no such block.",
    params: { number },
    result: count,
    scope: "chain",
    example: { params: ["0x0"], result: "0x0" },
  }),
  getBlockTransactionCountByHash: method({
    summary: "Number of transactions of a block; null when there is no such block.",
    params: { hash: byHash },
    result: count,
    scope: "chain",
  }),
  getBlockReceipts: method({
    summary: "All receipts of a block.",
    params: { block: required(blockRef, "The block.") },
    result: receipts,
    scope: "chain",
    example: { params: ["0x0"], result: [] },
  }),
};

/** Kaia has no uncles, but Ethereum clients ask for them. */
export const uncles = {
  getUncleCountByBlockNumber: method({
    summary: "0; null when there is no such block.",
    params: { number },
    result: count,
    scope: "chain",
  }),
  getUncleCountByBlockHash: method({
    summary: "0; null when there is no such block.",
    params: { hash: byHash },
    result: count,
    scope: "chain",
  }),
  getUncleByBlockNumberAndIndex: method({
    summary: "null: there are no uncles.",
    params: { number, index: required(place, "Index of the uncle.") },
    result: maybeBlock,
    scope: "chain",
  }),
  getUncleByBlockHashAndIndex: method({
    summary: "null: there are no uncles.",
    params: { hash: byHash, index: required(place, "Index of the uncle.") },
    result: maybeBlock,
    scope: "chain",
  }),
};
