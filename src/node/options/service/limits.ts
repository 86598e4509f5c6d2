import { DEFAULT_BUDGET } from "../../../api/rpc/services/budget.ts";
import { DEFAULT_LIMITS, DEFAULT_LOG_LIMITS } from "../../../api/rpc/services/limits.ts";
import { COMPILE_MODES, DEFAULT_COMPILE_MODE } from "../../../ledger/evm/engine/compiler/code-compiler.ts";
import * as t from "../../../platform/config/types.ts";
import { DEFAULT_TIMES } from "../../../platform/http/budget.ts";
import { MAX_CONNECTIONS } from "../../../platform/http/listener.ts";
import { nodeOption } from "../member.ts";

/** Longest time limit for clients: a client may hold a connection that long. */
const MAX_SECONDS = 3_600;

/** Limits of requests. */
export const limitOptions = {
  gasCap: nodeOption({
    member: "gasCap",
    flag: "rpc.gascap",
    env: ["RPC_GASCAP"],
    type: t.bigNumber,
    default: 50_000_000n,
    doc: "Maximum gas of a call or estimate; 0 = no cap.",
  }),
  evmTimeoutMs: nodeOption({
    member: "evmTimeoutMs",
    flag: "rpc.evmtimeout",
    env: ["RPC_EVM_TIMEOUT"],
    type: t.timer(0),
    default: 5000,
    doc: "Longest run of a call, or of all calls of a batch, such as 5s.",
  }),
  maxCalls: nodeOption({
    member: "maxCalls",
    flag: "rpc.max-calls",
    type: t.integer(0, 64),
    default: 0,
    doc: "Maximum number of calls and traces running in threads at once; 0 = one less than there are cores, 2 to 8.",
    as: (most) => most || undefined,
  }),
  ioProcesses: nodeOption({
    member: "ioProcesses",
    flag: "rpc.io-processes",
    env: ["RPC_IO_PROCESSES"],
    type: t.integer(0, 64),
    default: 0,
    doc: "Processes that read and write the sockets of HTTP and WebSocket clients, so that the main thread only answers; 0 = it does both.",
  }),
  callSliceMs: nodeOption({
    member: "callSliceMs",
    flag: "rpc.call-slice",
    type: t.integer(0, 1000),
    default: 3,
    doc: "Milliseconds after which a call is moved to a thread; 0 = all calls run in threads.",
  }),
  blockSliceMs: nodeOption({
    member: "blockSliceMs",
    flag: "block-slice",
    type: t.integer(0, 1000),
    default: 3,
    doc: "Milliseconds after which a transaction of a block is moved to a thread; 0 = all run in a thread.",
  }),
  evmCompile: nodeOption({
    member: "evmCompile",
    flag: "evm.compile",
    env: ["EVM_COMPILE"],
    type: t.oneOf(...COMPILE_MODES),
    default: DEFAULT_COMPILE_MODE,
    doc: "Compiles contracts to WebAssembly: those that run often, each before its first run (slow, for tests), or none.",
  }),
  batchItems: nodeOption({
    member: "rpcLimits.batchItems",
    flag: "rpc.batch-request-limit",
    type: t.integer(0, Number.MAX_SAFE_INTEGER),
    default: DEFAULT_LIMITS.batchItems,
    doc: "Maximum number of requests in a batch; 0 = no limit.",
  }),
  batchAnswer: nodeOption({
    member: "rpcLimits.batchAnswer",
    flag: "rpc.batch-response-max-size",
    type: t.integer(0, Number.MAX_SAFE_INTEGER),
    default: DEFAULT_LIMITS.batchAnswer,
    doc: "Maximum length of the responses to a batch, in characters; 0 = no limit.",
  }),
  logRange: nodeOption({
    member: "logLimits.range",
    flag: "rpc.rangelimit",
    type: t.integer(0, Number.MAX_SAFE_INTEGER),
    default: DEFAULT_LOG_LIMITS.range,
    doc: "Maximum distance between the first and the last block of a log search; 0 = no limit.",
  }),
  logItems: nodeOption({
    member: "logLimits.items",
    flag: "api.filter.getLogs.maxitems",
    env: ["API_FILTER_GETLOGS_MAXITEMS"],
    type: t.integer(0, Number.MAX_SAFE_INTEGER),
    default: DEFAULT_LOG_LIMITS.items,
    doc: "Maximum number of logs in a response; 0 = no limit.",
  }),
  logTimeMs: nodeOption({
    member: "logLimits.timeMs",
    flag: "api.filter.getLogs.deadline",
    env: ["API_FILTER_GETLOGS_DEADLINE"],
    type: t.timer(0),
    default: DEFAULT_LOG_LIMITS.timeMs,
    doc: "Longest log search, such as 10s.",
  }),
  maxBody: nodeOption({
    member: "rpcLimits.body",
    flag: "rpc.max-body",
    type: t.integer(1024, 512 * 1024 * 1024),
    default: undefined,
    doc: "Maximum size of a request over HTTP or WebSocket, in bytes; by default 5 MiB, 512 KiB with --compat.",
  }),
  maxConnections: nodeOption({
    member: "sharedLimits.connections",
    flag: "rpc.max-connections",
    type: t.integer(1, 1_000_000),
    default: MAX_CONNECTIONS,
    doc: "Maximum number of connections to each HTTP or WebSocket listener.",
  }),
  maxUnsent: nodeOption({
    member: "sharedLimits.unsent",
    flag: "rpc.max-unsent",
    type: t.integer(1024 * 1024, Number.MAX_SAFE_INTEGER),
    default: undefined,
    doc:
      "Maximum number of bytes buffered for all clients together, responses in preparation included; by default 512 " +
      "MiB, or an eighth of the memory.",
  }),
  maxSubscriptions: nodeOption({
    member: "sharedLimits.subscriptions",
    flag: "rpc.max-subscriptions",
    type: t.integer(1, 10_000_000),
    default: DEFAULT_BUDGET.subscriptions,
    doc: "Maximum number of subscriptions of all clients together.",
  }),
  headSeconds: nodeOption({
    member: "sharedLimits.headSeconds",
    flag: "rpc.head-timeout",
    type: t.integer(1, MAX_SECONDS, "SECONDS"),
    default: DEFAULT_TIMES.head,
    doc: "Longest time for the head of a request, once it has begun, on every listener over TCP.",
  }),
  bodySeconds: nodeOption({
    member: "sharedLimits.bodySeconds",
    flag: "rpcreadtimeout",
    env: ["RPCREADTIMEOUT"],
    type: t.integer(1, MAX_SECONDS, "SECONDS"),
    default: DEFAULT_TIMES.body,
    doc: "Longest time for the body of a request, or a message over WebSocket.",
  }),
  unreadSeconds: nodeOption({
    member: "sharedLimits.unreadSeconds",
    flag: "rpcwritetimeout",
    env: ["RPCWRITETIMEOUT"],
    type: t.integer(1, MAX_SECONDS, "SECONDS"),
    default: DEFAULT_TIMES.unread,
    doc: "Time after which a client that reads nothing of its responses is cut off.",
  }),
  idleSeconds: nodeOption({
    member: "sharedLimits.idleSeconds",
    flag: "rpcidletimeout",
    env: ["RPCIDLETIMEOUT"],
    type: t.integer(1, MAX_SECONDS, "SECONDS"),
    default: DEFAULT_TIMES.idle,
    doc: "Time after which an HTTP connection without a request is closed.",
  }),
  callRate: nodeOption({
    member: "rpcRate.perSecond",
    flag: "rpc.rate",
    type: t.integer(0, 1_000_000),
    default: 0,
    doc: "Calls per second allowed to one client in each class of methods, each call of a batch counted; 0 = no limit.",
    opens: "rpcRate",
    as: (rate) => rate || undefined,
  }),
  callRateLoopback: nodeOption({
    member: "rpcRate.loopback",
    flag: "rpc.rate-loopback",
    type: t.boolean,
    default: false,
    doc: "Applies --rpc.rate to programs on this machine too, except over IPC.",
  }),
  requestIds: nodeOption({
    member: "requestIds",
    flag: "rpc.request-ids",
    type: t.boolean,
    default: false,
    doc: 'Puts the number of the call into the data of errors that have none, as in the log: {"requestId":7}.',
  }),
} as const;
