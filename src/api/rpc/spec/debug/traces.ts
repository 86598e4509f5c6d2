import { bytes, hash } from "../../../../protocol/codec/json/hex.ts";
import { list, nullable, object, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, small, string, uint64 } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required, type TypeOf } from "../../../../protocol/codec/json/schema.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { atPositions, joinedMembers } from "../block-range.ts";
import { method, subscription } from "../method.ts";
import { blockNumber, blockRef } from "../values/block-ref.ts";
import { callArgs } from "../values/transaction-args.ts";

/** The reference nests some options in a structure, which its texts name. */
const logFields = {
  disableMemory: "LogConfig.DisableMemory",
  disableStack: "LogConfig.DisableStack",
  disableStorage: "LogConfig.DisableStorage",
  debug: "LogConfig.Debug",
  limit: "LogConfig.Limit",
};
const debug = optional(boolean, "Accepted for compatibility and ignored.");
const limit = optional(small(int), "Maximum number of steps in a struct log; 0 = all.");
const reexec = optional(uint64, "Accepted for compatibility and ignored: no state has to be recomputed.");

/** What a trace shows and how long it may take. */
export const traceConfig = object(
  "TraceConfig",
  {
    disableMemory: optional(boolean, "Struct log without memory."),
    disableStack: optional(boolean, "Struct log without stack."),
    disableStorage: optional(boolean, "Struct log without written slots."),
    ...{ debug, limit },
    tracer: optional(
      string,
      "`callTracer`, `flatCallTracer`, `prestateTracer`, `4byteTracer`, `executionTracer` …, or JavaScript that makes " +
        "a tracer; default: a struct log.",
    ),
    timeout: optional(string, "Time limit of a tracer, such as `10s`; default 5s."),
    loggerTimeout: optional(string, "Time limit of a struct log; default 10s."),
    reexec,
  },
  {
    goType: "tracers.TraceConfig",
    fieldNames: {
      ...logFields,
      ...{ tracer: "Tracer", timeout: "Timeout", loggerTimeout: "LoggerTimeout", reexec: "Reexec" },
    },
  },
);
/** The decoded options of a trace. */
export type TraceConfig = TypeOf<typeof traceConfig>;

const config = optional(traceConfig, "Tracer and its options.");
const trace = wire<Json>("Trace", { description: "The tracer's result." });
const traces = wire<Json[]>("Traces", { type: "array", description: "`txHash` with `result` or `error`." });

const fileConfig = optional(
  object(
    "StdTraceConfig",
    {
      disableMemory: optional(boolean, "Without memory."),
      disableStack: optional(boolean, "Without stack."),
      disableStorage: optional(boolean, "Without written slots."),
      ...{ debug, limit, reexec },
      txHash: optional(hash, "Only this transaction."),
    },
    { goType: "tracers.StdTraceConfig", fieldNames: { ...logFields, reexec: "Reexec", txHash: "TxHash" } },
  ),
  "What to write.",
);

/** Traces of transactions. */
export const debugTraces = {
  traceTransaction: method({
    summary: "Trace of a transaction of the chain.",
    params: { hash: required(hash, "Hash of the transaction."), config },
    result: trace,
    scope: "chain",
  }),
  traceCall: method({
    summary: "Trace of a call on the state after a block.",
    params: { call: required(callArgs, "The call."), block: required(blockRef, "The block."), config },
    result: trace,
    scope: "state",
  }),
  traceBlock: method({
    summary: "Traces of the transactions of a block given as RLP; its parent must be in the chain.",
    params: { block: required(bytes, "RLP of the block."), config },
    result: traces,
    scope: "chain",
  }),
  traceBlockByNumber: method({
    summary: "Traces of the transactions of a block.",
    params: { number: required(blockNumber, "Number of the block."), config },
    result: traces,
    scope: "chain",
  }),
  traceBlockByHash: method({
    summary: "Traces of the transactions of a block.",
    params: { hash: required(hash, "Hash of the block."), config },
    result: traces,
    scope: "chain",
  }),
  traceBlockByNumberRange: method({
    summary: "Traces of the transactions of several blocks, by block number.",
    params: {
      first: required(blockNumber, "Number of the first block."),
      last: required(blockNumber, "Number of the last block."),
      config,
    },
    result: wire<{ [number: string]: Json }>("TracesByBlock", {
      type: "object",
      description: "Traces of each block, by its number.",
    }),
    scope: "chain",
    blocks: ({ first, last }) =>
      typeof first === "bigint" && typeof last === "bigint"
        ? { first, last, within: atPositions(0, 1), join: joinedMembers }
        : undefined,
    unsafe: true,
  }),
  traceBlockFromFile: method({
    summary: "Traces of the transactions of a block read from a file of hex digits.",
    params: { file: required(string, "A file of the folder for dumps, or any path."), config },
    result: traces,
    scope: "host",
    unsafe: true,
  }),
  traceBadBlock: method({
    summary: "Traces of the transactions of a rejected block.",
    params: { hash: required(hash, "Hash of the block."), config },
    result: traces,
    scope: "node",
  }),
  standardTraceBlockToFile: method({
    summary: "Writes the struct log of each transaction of a block to a file, one JSON object per line.",
    params: { hash: required(hash, "Hash of the block."), config: fileConfig },
    result: nullable(list(string)),
    scope: "host",
    unsafe: true,
  }),
  standardTraceBadBlockToFile: method({
    summary: "As standardTraceBlockToFile, for a rejected block.",
    params: { hash: required(hash, "Hash of the block."), config: fileConfig },
    result: nullable(list(string)),
    scope: "host",
    unsafe: true,
  }),
};

/** Traces delivered block by block. */
export const debugSubscriptions = {
  traceChain: subscription({
    summary: "Traces of the transactions of each block after the first one, up to the last.",
    params: {
      first: required(blockNumber, "Number of the block before the first one to trace."),
      last: required(blockNumber, "Number of the last block."),
      config,
    },
    event: wire<Json>("BlockTraces", {
      type: "object",
      description: "`block`, `hash` and `traces`; after a failure the traces of a block are null.",
    }),
    unsafe: true,
  }),
};
