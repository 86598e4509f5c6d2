import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Json } from "../../../src/protocol/codec/json/value.ts";
import { parseExactJson } from "../../../src/protocol/params/config-json.ts";

export type JsonObject = { readonly [key: string]: Json };

/** A block as `expect.json` lists it; `logsBloom` is "0x0" when all bits are zero. */
export interface ExpectedBlock {
  readonly number: number;
  readonly hash: string;
  readonly stateRoot: string;
  readonly txRoot: string;
  readonly receiptsRoot: string;
  readonly gasUsed: string;
  readonly size: string;
  /** Null for block 0. */
  readonly proposer: string | null;
}

/** Responses about one transaction. */
export interface RecordedTransaction {
  readonly hash: string;
  readonly kaia: JsonObject;
  readonly eth: JsonObject;
  readonly ethReceipt: JsonObject;
  readonly raw: string;
}

/** Responses about one account at one height. */
export interface RecordedAccount {
  readonly account: Json;
  readonly accountKey: Json;
  readonly balance: string;
  readonly nonce: string;
  readonly code?: string;
  readonly codeHash?: string;
  readonly storage?: Readonly<Record<string, string>>;
}

/** A transaction sent to the reference node, included or rejected. */
export interface SentTransaction {
  readonly label: string;
  readonly type: string;
  readonly hash: string;
  /** Code and message of the rejection. */
  readonly rejected?: string;
  /** Present if it was rejected. */
  readonly raw?: string;
}

/** What the reference node recorded about a chain; keys are block numbers in decimal. */
export interface Recording {
  readonly genesis: string;
  /** Path of the exported blocks from 1 on. */
  readonly chainFile: string;
  readonly expected: { readonly headHash: string; readonly blocks: readonly ExpectedBlock[] };
  readonly blocks: Readonly<
    Record<string, { readonly kaia: JsonObject; readonly eth: JsonObject; readonly rewards: JsonObject }>
  >;
  readonly transactions: Readonly<Record<string, readonly RecordedTransaction[]>>;
  /** In the order they were sent. */
  readonly sent: readonly SentTransaction[];
  readonly receipts: Readonly<Record<string, readonly JsonObject[]>>;
  readonly accounts: Readonly<Record<string, Readonly<Record<string, RecordedAccount>>>>;
}

/** Reads a folder of recordings. Missing files, as in benchmarks, give nothing to compare. */
export function readRecording(folder: string): Recording {
  return {
    genesis: readFileSync(join(folder, "genesis.json"), "utf8"),
    chainFile: join(folder, "chain.rlp.gz"),
    expected: jsonOf(folder, "expect.json") as Recording["expected"],
    blocks: jsonOf(folder, "blocks.json") as Recording["blocks"],
    transactions: jsonOf(folder, "txs.json") as Recording["transactions"],
    sent: sentIn(folder),
    receipts: jsonOf(folder, "receipts.json") as Recording["receipts"],
    accounts: jsonOf(folder, "accounts.json") as Recording["accounts"],
  };
}

function sentIn(folder: string): Recording["sent"] {
  const labels = jsonOf(folder, "labels.json");
  return Array.isArray(labels) ? labels : [];
}

function jsonOf(folder: string, name: string): unknown {
  const path = join(folder, name);
  if (existsSync(path)) return parseExactJson(readFileSync(path, "utf8"));
  if (existsSync(`${path}.gz`)) return parseExactJson(gunzipSync(readFileSync(`${path}.gz`)).toString());
  return {};
}
