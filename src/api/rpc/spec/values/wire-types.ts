import { hash } from "../../../../protocol/codec/json/hex.ts";
import { nullable, wire } from "../../../../protocol/codec/json/object.ts";
import type { Schema } from "../../../../protocol/codec/json/schema.ts";
import { block, header } from "../rendered/block.ts";
import { log, receipt } from "../rendered/receipt.ts";
import type { WireObject } from "../rendered/rendered.ts";
import { transaction } from "../rendered/transaction.ts";

export type { WireObject } from "../rendered/rendered.ts";
export { block, header, log, receipt, transaction };

const bare = (title: string, description: string) => wire<WireObject>(title, { type: "object", description });

/** Results that are rendered to JSON already. */
export const signedTransaction = bare("SignedTransaction", "`raw` (hex, ready to send) and `tx` (readable).");
export const accountKey = bare("AccountKey", "`keyType` (0 nil … 5 role-based) and `key`.");
export const account = bare("Account", "`accType` (1 external, 2 contract) and `account`.");
export const feeHistory = bare("FeeHistory", "Base fees, gas used ratios and priority fees of blocks.");

/** false, or the progress of synchronisation. */
export const syncStatus = wire<false | WireObject>("SyncStatus", {
  description: "false, or `startingBlock`, `currentBlock` and `highestBlock`.",
  oneOf: [{ const: false }, { type: "object" }],
});

/** The same, or null. */
export const maybeBlock = nullable(block);
export const maybeHeader = nullable(header);
export const maybeTransaction = nullable(transaction);
export const maybeReceipt = nullable(receipt);

/** An array of rendered objects, which may have been rendered to text already. */
const all = <T>(element: Schema<T>) =>
  wire<readonly T[]>(`${element.title}[]`, { type: "array", items: element.json });

/** Lists of rendered objects. */
export const receipts = all(receipt);
export const logs = all(log);
export const transactions = all(transaction);

/** A transaction that became executable: its hash, or the full transaction. */
export const pendingTransaction = wire<WireObject | string>("PendingTransaction", {
  anyOf: [hash.json, transaction.json],
});

/** The events collected by a filter: logs, or hashes of blocks or transactions. */
export const filterChanges = wire<readonly (WireObject | string)[]>("FilterChanges", {
  type: "array",
  items: { anyOf: [log.json, hash.json] },
});
