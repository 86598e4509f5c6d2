import { hash } from "../../../protocol/codec/json/hex.ts";
import { nullable, wire } from "../../../protocol/codec/json/object.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";

/** Rendered objects: quantities and bytes are hex, as on the wire. */
export type WireObject = { readonly [member: string]: Json };

const rendered = (title: string, description: string) =>
  wire<WireObject>(title, { type: "object", description });

export const block = rendered("Block", "A block; transactions as hashes or whole.");
export const header = rendered("Header", "A block header.");
export const transaction = rendered("Transaction", "A transaction with its place in the chain.");
export const receipt = rendered("Receipt", "A receipt: the transaction and what came of it.");
export const log = rendered("Log", "An event of a contract with its place in the chain.");
export const signedTransaction = rendered(
  "SignedTransaction",
  "`raw` (hex, ready to send) and `tx` (readable).",
);
export const accountKey = rendered("AccountKey", "`keyType` (0 nil … 5 role-based) and `key`.");
export const account = rendered("Account", "`accType` (1 external, 2 contract) and `account`.");
export const feeHistory = rendered("FeeHistory", "Base fees, gas used ratios and tips of a range of blocks.");

/** false, or how far the node is. */
export const syncStatus = wire<false | WireObject>("SyncStatus", {
  description: "false, or `startingBlock`, `currentBlock` and `highestBlock`.",
  oneOf: [{ const: false }, { type: "object" }],
});

export const maybeBlock = nullable(block);
export const maybeHeader = nullable(header);
export const maybeTransaction = nullable(transaction);
export const maybeReceipt = nullable(receipt);

/** Arrays of rendered objects. */
export const receipts = wire<readonly WireObject[]>("Receipts", { type: "array", items: receipt.json });
export const logs = wire<readonly WireObject[]>("Logs", { type: "array", items: log.json });
export const transactions = wire<readonly WireObject[]>("Transactions", {
  type: "array",
  items: transaction.json,
});

/** What a filter has collected: logs, or hashes of blocks or transactions. */
export const filterChanges = wire<readonly (WireObject | string)[]>("FilterChanges", {
  type: "array",
  items: { anyOf: [log.json, hash.json] },
});
