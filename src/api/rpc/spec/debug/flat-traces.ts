import { address, hash, quantity64 } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable, object, wire } from "../../../../protocol/codec/json/object.ts";
import { string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type TypeOf } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { inFilter, joinedLists } from "../block-range.ts";
import { method } from "../method.ts";
import { blockNumber, blockRef, numberAt } from "../values/block-ref.ts";
import { firstOf } from "../values/first-of.ts";
import { quantityOrNumber } from "../values/number.ts";
import { pair } from "../values/pair.ts";
import { ethTransactionArgs, rawTransaction } from "../values/transaction-args.ts";

/** Maximum blocks of one `trace_filter`. */
export const MAX_FILTERED_BLOCKS = 1_000n;
/** Maximum traces in its response. */
export const MAX_FILTERED_TRACES = 10_000;
/** Maximum calls of one `trace_callMany`. */
export const MAX_CALLS = 1_000;

const traceFilter = object("TraceFilter", {
  fromBlock: optional(blockNumber, "First block; default 0."),
  toBlock: optional(blockNumber, "Last block; default the newest."),
  fromAddress: optional(list(address), "Only calls, creations and destructions by one of these."),
  toAddress: optional(
    list(address),
    "Only calls to, creations of, and destructions in favour of one of these.",
  ),
  mode: optional(
    string,
    "`intersection`, the default: both must match if both are given; `union`: either of them.",
  ),
  after: optional(quantityOrNumber, "How many matches to skip; default 0."),
  count: optional(quantityOrNumber, `Maximum number of traces to return, up to ${MAX_FILTERED_TRACES}.`),
});
/** The decoded filter. */
export type TraceFilter = TypeOf<typeof traceFilter>;

type ActionMember =
  | ("from" | "to" | "value" | "input" | "callType")
  | ("init" | "creationMethod")
  | ("address" | "balance" | "refundAddress");

/** One call, creation or destruction, as `flatCallTracer` shows it. */
export interface FlatTrace {
  readonly type: string;
  readonly action: Partial<Record<ActionMember, string>>;
  readonly error?: string;
  readonly result?: Partial<Record<"output" | "address" | "code", string>> | null;
  readonly traceAddress: readonly number[];
}

/** One of a transaction of the chain. */
export interface PlacedFlatTrace extends FlatTrace {
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly transactionHash: string;
  readonly transactionPosition: number;
}

const trace = wire<PlacedFlatTrace>("FlatTrace", {
  type: "object",
  description:
    "`action`, `result` or `error`, `subtraces`, `traceAddress`, `type` (`call`, `create`, `suicide`), and its position.",
});
const traces = list(trace);
const replay = wire<Json>("Replay", {
  type: "object",
  description:
    "`output`, `stateDiff`, `trace`, `vmTrace`; if not requested, `trace` is empty and the others are null.",
});
const kinds = required(list(string), "What to show: `trace`, `vmTrace`, `stateDiff`, or several of them.");
const kindList = list(string);
const callWithKinds = pair("CallWithKinds", ethTransactionArgs, kindList, "a call, and what to show of it");
const callsWithKinds = list(callWithKinds);
const byHash = required(hash, "Hash of the transaction.");
const block = required(blockRef, "The block.");

/** Flat lists of calls, under `trace_`: the shapes of OpenEthereum's module of that name. */
export const flatTraces = {
  block: method({
    summary: "Calls, creations and destructions of all transactions of a block.",
    params: { block },
    result: traces,
    scope: "chain",
  }),
  transaction: method({
    summary: "Calls, creations and destructions of a transaction; null when it is not in the chain.",
    params: { hash: byHash },
    result: nullable(traces),
    scope: "chain",
  }),
  get: method({
    summary:
      "One call, creation or destruction of a transaction, by its position in the tree; null when there is none.",
    params: { hash: byHash, path: required(list(quantity64), "Its `traceAddress`.") },
    result: nullable(trace),
    scope: "chain",
  }),
  filter: method({
    summary: `Calls, creations and destructions in up to ${MAX_FILTERED_BLOCKS} blocks that match a filter, in order.`,
    params: { filter: required(traceFilter, "Which ones.") },
    result: traces,
    scope: "chain",
    blocks({ filter: { fromBlock = 0n, toBlock = "latest", after, count } }, latest) {
      const max = Number(count ?? Number.POSITIVE_INFINITY);
      return {
        first: numberAt(fromBlock, latest),
        last: numberAt(toBlock, latest),
        within: inFilter,
        // How many matches the earlier blocks have, and so how many of the later ones to skip, cannot be seen.
        ...(after === undefined && { join: (...both) => joinedLists(...both).slice(0, max) }),
      };
    },
  }),
  call: method({
    summary: "What a call would do on the state after a block.",
    params: {
      call: required(ethTransactionArgs, "The call."),
      kinds,
      block: optional(blockRef, "The block; default the newest."),
    },
    result: replay,
    scope: "state",
  }),
  callMany: method({
    summary: `What up to ${MAX_CALLS} calls would do, each on the state left by the previous one.`,
    params: {
      calls: required(
        { ...callsWithKinds, decode: (json) => callsWithKinds.decode(firstOf(json, MAX_CALLS + 1)) },
        "The calls, each in a list with what to show of it.",
      ),
      block: optional(blockRef, "The block on whose state they run; default the newest."),
    },
    result: list(replay),
    scope: "state",
  }),
  rawTransaction: method({
    summary: "What a signed transaction would do if its sender made it as a call now; it is not sent.",
    params: { raw: required(rawTransaction, "The encoded transaction."), kinds },
    result: replay,
    scope: "state",
  }),
  replayTransaction: method({
    summary: "Output of a transaction and whatever else is requested; null when it is not in the chain.",
    params: { hash: byHash, kinds },
    result: nullable(replay),
    scope: "chain",
  }),
  replayBlockTransactions: method({
    summary: "Output of each transaction of a block and whatever else is requested, with its hash.",
    params: { block, kinds },
    result: list(replay),
    scope: "chain",
  }),
};
