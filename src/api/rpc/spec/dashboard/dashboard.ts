import { address, hash, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, wire } from "../../../../protocol/codec/json/object.ts";
import { integer, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { type Api, method, type Namespaces, subscription } from "../method.ts";
import { contracts } from "./contracts.ts";
import { desk, signing } from "./desk.ts";
import type {
  BlockRow,
  CallTimes,
  Found,
  HistoryPage,
  LiveEvent,
  LogLine,
  Overview,
  PoolReport,
  Sample,
  TraceReport,
  TransactionReport,
  TransactionRow,
} from "./wire.ts";

/** Maximum rows of one page of a list. */
export const MAX_ROWS = 100;
/** Maximum characters of a search text. */
export const MAX_SEARCH_LENGTH = 200;

const object = { type: "object" };
const rows = small(integer("number of rows", { goType: "int", min: 1n, max: BigInt(MAX_ROWS) }));
const position = small(integer("position", { goType: "int", min: 0n, max: 2n ** 53n - 1n }));
const count = required(rows, "Maximum number of rows.");
const listOf = <T>(title: string) => list(wire<T>(title, object));

/** Methods for the dashboard, served on its port alone. */
const dashboard = {
  overview: method({
    summary: "The node and its chain at a glance, and what the caller may do.",
    params: {},
    result: wire<Overview>("Overview", object),
    scope: "node",
  }),
  blocks: method({
    summary: "Blocks, newest first.",
    params: { count, before: optional(position, "Only blocks below this number; default all.") },
    result: listOf<BlockRow>("BlockRow"),
    scope: "chain",
  }),
  transactions: method({
    summary: "Transactions of the newest blocks, newest first.",
    params: { count, before: optional(position, "Only of blocks below this number; default all.") },
    result: listOf<TransactionRow>("TransactionRow"),
    scope: "chain",
  }),
  blockTransactions: method({
    summary: "Transactions of a block in their order.",
    params: {
      number: required(position, "Number of the block."),
      count,
      from: optional(position, "First index."),
    },
    result: listOf<TransactionRow>("TransactionRow"),
    scope: "chain",
  }),
  transaction: method({
    summary: "A transaction with its receipt, names, and the validity of its signatures; null when unknown.",
    params: { hash: required(hash, "Its hash.") },
    result: wire<TransactionReport | null>("TransactionReport", object),
    scope: "chain",
  }),
  trace: method({
    summary: "The calls of a transaction, with names.",
    params: { hash: required(hash, "Its hash.") },
    result: wire<TraceReport>("TraceReport", object),
    scope: "chain",
  }),
  history: method({
    summary: "Transactions that an account has sent, newest first.",
    params: {
      address: required(address, "The account."),
      count,
      before: optional(quantity64, "Only those with a nonce below this one; default all."),
    },
    result: wire<HistoryPage>("HistoryPage", object),
    scope: "chain",
  }),
  pool: method({
    summary:
      "What waits in the pool, by sender: 25 senders at most, with 100 pending and 100 queued transactions each.",
    params: {},
    result: wire<PoolReport>("PoolReport", object),
    scope: "chain",
  }),
  search: method({
    summary: "Finds what a number, hash, address, selector or topic refers to.",
    params: { text: required(string, "At most 200 characters.") },
    result: listOf<Found>("Found"),
    scope: "chain",
  }),
  samples: method({
    summary: "Samples of each second of the last hour, oldest first.",
    params: {},
    result: listOf<Sample>("Sample"),
    scope: "node",
  }),
  callTimes: method({
    summary: "How often each method was called since the start, and how long its calls took.",
    params: {},
    result: listOf<CallTimes>("CallTimes"),
    scope: "node",
  }),
  logLines: method({
    summary: "The newest lines of the log, oldest first.",
    params: {},
    result: listOf<LogLine>("LogLine"),
    scope: "node",
  }),
  touch: method({
    summary: "Keeps the session's unlocked accounts from being locked for another minute.",
    params: {},
    result: nothing,
    scope: "keys",
  }),
} satisfies Api;

/** The methods of the dashboard's port that no other port serves. */
export const dashboardNamespaces = {
  dashboard: { dashboard, desk, signing, contracts },
} as const satisfies Namespaces;

/** What the dashboard's port pushes. */
export const dashboardSubscriptions = {
  live: subscription({
    summary: "Blocks with their first transactions, removed blocks, and a sample each second.",
    params: {},
    event: wire<LiveEvent>("LiveEvent", object),
    live: true,
  }),
  log: subscription({
    summary: "Lines of the log as they are written.",
    params: {},
    event: wire<LogLine>("LogLine", object),
    live: true,
  }),
};
