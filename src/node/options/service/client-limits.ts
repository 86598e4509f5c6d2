import { DEFAULT_AMOUNTS } from "../../../api/rpc/services/budget.ts";
import { DEFAULT_LIMITS } from "../../../api/rpc/services/limits.ts";
import * as t from "../../../platform/config/types.ts";
import { DEFAULT_TIMES } from "../../../platform/http/budget.ts";
import { MAX_CONNECTIONS } from "../../../platform/http/listener.ts";
import { nodeOption } from "../member.ts";

const MIB = 1024 * 1024;
/** Longest time limit for clients: a client may hold a connection that long. */
const MAX_SECONDS = 3_600;
const count = t.integer(1, 10_000_000);
const bytes = t.integer(MIB, Number.MAX_SAFE_INTEGER, "BYTES");

/** Limits of clients: their connections, what is buffered for them, and their time. */
export const clientLimitOptions = {
  maxBody: nodeOption({
    member: "rpcLimits.body",
    flag: "rpc.max-body",
    aliases: ["maxRequestContentLength"],
    env: ["MAXREQUESTCONTENTLENGTH"],
    type: t.integer(1024, 512 * 1024 * 1024),
    default: undefined,
    doc: "Maximum size of a request over HTTP or WebSocket, in bytes; by default 5 MiB, 512 KiB with --compat.",
  }),
  maxConnections: nodeOption({
    member: "sharedLimits.connections",
    flag: "rpc.max-connections",
    aliases: ["rpc.concurrencylimit"],
    env: ["RPC_CONCURRENCYLIMIT"],
    type: t.integer(1, 1_000_000),
    default: MAX_CONNECTIONS,
    doc: "Maximum number of connections to each HTTP or WebSocket listener.",
  }),
  maxUnsent: nodeOption({
    member: "sharedLimits.unsent",
    flag: "rpc.max-unsent",
    type: bytes,
    default: undefined,
    doc:
      "Maximum number of bytes buffered for all clients together, responses in preparation included; by default 512 " +
      "MiB, or an eighth of the memory.",
  }),
  maxSubscriptions: nodeOption({
    member: "sharedLimits.subscriptions",
    flag: "rpc.max-subscriptions",
    type: count,
    default: DEFAULT_AMOUNTS.subscriptions,
    doc: "Maximum number of subscriptions of all clients together.",
  }),
  maxSubscriptionsPerConnection: nodeOption({
    member: "rpcLimits.subscriptions",
    flag: "wsmaxsubscriptionperconn",
    env: ["WSMAXSUBSCRIPTIONPERCONN"],
    type: t.integer(0, Number.MAX_SAFE_INTEGER),
    default: DEFAULT_LIMITS.subscriptions,
    doc: "Maximum number of subscriptions of one connection, until admin_setMaxSubscriptionPerWSConn changes it.",
  }),
  maxWebSockets: nodeOption({
    member: "sharedLimits.webSockets",
    flag: "wsmaxconnections",
    env: ["WSMAXCONNECTIONS"],
    type: t.integer(0, 1_000_000),
    default: DEFAULT_AMOUNTS.webSockets,
    doc: "Maximum number of WebSocket connections to all listeners together.",
  }),
  maxBacklog: nodeOption({
    member: "rpcLimits.backlog",
    flag: "ws.max-unsent",
    type: t.integer(4 * MIB, Number.MAX_SAFE_INTEGER, "BYTES"),
    default: DEFAULT_LIMITS.backlog,
    doc: "Maximum number of bytes buffered for a WebSocket that does not read.",
  }),
  maxIncoming: nodeOption({
    member: "sharedLimits.bodies",
    flag: "rpc.max-incoming",
    type: bytes,
    default: DEFAULT_AMOUNTS.bodies,
    doc: "Maximum number of bytes of the incomplete requests of all clients together.",
  }),
  maxPendingCalls: nodeOption({
    member: "sharedLimits.calls",
    flag: "rpc.max-pending-calls",
    type: count,
    default: DEFAULT_AMOUNTS.calls,
    doc: "Maximum number of calls of all clients being answered or waiting; those over IPC are not counted.",
  }),
  maxFilters: nodeOption({
    member: "sharedLimits.filters",
    flag: "rpc.max-filters",
    type: count,
    default: DEFAULT_AMOUNTS.filters,
    doc: "Maximum number of filters (eth_newFilter and similar) of all clients together.",
  }),
  maxFilterBytes: nodeOption({
    member: "sharedLimits.filterBytes",
    flag: "rpc.max-filter-bytes",
    type: bytes,
    default: DEFAULT_AMOUNTS.filterBytes,
    doc: "Maximum number of bytes of the arguments of all filters and subscriptions.",
  }),
  maxCollected: nodeOption({
    member: "sharedLimits.collected",
    flag: "rpc.max-collected",
    type: bytes,
    default: DEFAULT_AMOUNTS.collected,
    doc: "Maximum number of bytes collected for all filters until they are polled.",
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
  answerSeconds: nodeOption({
    member: "sharedLimits.answerSeconds",
    flag: "rpcexecutiontimeout",
    env: ["RPCEXECUTIONTIMEOUT"],
    type: t.integer(0, MAX_SECONDS, "SECONDS"),
    default: 0,
    doc: "Time after which a request over HTTP is abandoned and answered with 503; 0 = each method has a limit of its own, if any.",
    as: (seconds) => seconds || undefined,
  }),
} as const;
