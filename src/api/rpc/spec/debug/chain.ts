import { address, bytes, hash } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, nullable, object, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { method } from "../method.ts";
import { blockNumber, blockRef } from "../values/block-ref.ts";
import type { WireObject } from "../values/wire-types.ts";

const block = required(blockRef, "The block.");
const first = required(
  blockNumber,
  "Number of the block before the changes; without a last block: the block with the changes.",
);
const last = optional(blockNumber, "Number of the last block with changes.");
const addresses = list(address);

const compactionRange = object(
  "CompactionRange",
  {
    start: optional(bytes, "First key; default: the lowest."),
    step: optional(bytes, "Difference between the keys at which it pauses."),
    end: optional(bytes, "Key after the last; default: the highest."),
    db: optional(list(string), "Names of databases; default: all."),
    interval: optional(string, "Length of a pause, such as `1s`."),
  },
  { goType: "api.CompactionRange" },
);
const compaction = object(
  "ChaindbCompactArgs",
  {
    preset: optional(string, "`default`, `allbutstate`, `header`, `body`, `receipts`, or `custom`."),
    ranges: optional(list(compactionRange), "The ranges of `custom`."),
  },
  { goType: "api.ChaindbCompactArgs" },
);

/** The chain and its state as the database has them. */
export const debugChain = {
  getBlockRlp: method({
    summary: "RLP of a block as hex without prefix.",
    params: { block },
    result: string,
    scope: "chain",
  }),
  printBlock: method({
    summary: "A block as human-readable text.",
    params: { block },
    result: string,
    scope: "chain",
    unsafe: true,
  }),
  dumpBlock: method({
    summary: "Every account after a block, with code and storage.",
    params: { block },
    result: wire<WireObject>("Dump", { type: "object", description: "`root` and `accounts`, by address." }),
    scope: "state",
  }),
  dumpStateTrie: method({
    summary: "Every node of the state trie after a block, and of the storage tries in it.",
    params: { block },
    result: wire<WireObject>("StateTrie", {
      type: "object",
      description: "`root` and `tries`: hashes of nodes.",
    }),
    scope: "state",
  }),
  getBadBlocks: method({
    summary:
      "Rejected blocks, from peers and files: the 100 with the highest numbers, which are kept on disk.",
    params: {},
    result: wire<Json[]>("BadBlocks", {
      type: "array",
      description: "`hash`, `block`, `rlp` and `reason` of each.",
    }),
    scope: "node",
  }),
  getModifiedAccountsByNumber: method({
    summary: "Accounts that changed between two blocks; null for none.",
    params: { first, last },
    result: nullable(addresses),
    scope: "chain",
  }),
  getModifiedAccountsByHash: method({
    summary: "Accounts that changed between two blocks; null for none.",
    params: {
      first: required(
        hash,
        "Hash of the block before the changes; without a last block: of the block with the changes.",
      ),
      last: optional(hash, "Hash of the last block with changes."),
    },
    result: nullable(addresses),
    scope: "chain",
  }),
  getModifiedStorageNodesByNumber: method({
    summary: "Number of slots of a contract that changed between two blocks.",
    params: {
      contract: required(address, "The contract."),
      first,
      last,
      printDetail: optional(boolean, "Without effect; the reference logs the trie nodes."),
    },
    result: small(int),
    scope: "chain",
  }),
  storageRangeAt: method({
    summary: "Storage slots of a contract as they were before a transaction, ordered by their hashes.",
    params: {
      blockHash: required(hash, "Hash of the block."),
      transactionIndex: required(small(int), "Index of the transaction in the block."),
      contract: required(address, "The contract."),
      start: required(bytes, "Hash of the slot to start with, or its first bytes."),
      limit: required(small(int), "Maximum number of slots to return."),
    },
    result: wire<WireObject>("StorageRange", {
      type: "object",
      description: "`storage` by hash of the slot, and `nextKey`.",
    }),
    scope: "chain",
    unsafe: true,
  }),
  preimage: method({
    summary: "The address with this hash, if its account exists.",
    params: { hash: required(hash, "Hash of an address.") },
    result: bytes,
    scope: "state",
    unsafe: true,
  }),
  setHead: method({
    summary: "Rewinds the chain to a block; all later blocks are removed.",
    params: { number: required(blockNumber, "Number of the block.") },
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
  chaindbProperty: method({
    summary: "Statistics of the database, as text.",
    params: {
      property: required(
        string,
        "`tables` counts every row, which takes time; any other property is returned immediately.",
      ),
    },
    result: string,
    scope: "node",
    unsafe: true,
  }),
  chaindbCompact: method({
    summary: "Does nothing: this database reuses its free pages and has no files to merge.",
    params: { ranges: optional(compaction, "Checked as by the reference node.") },
    result: nothing,
    scope: "node",
    unsafe: true,
  }),
};
