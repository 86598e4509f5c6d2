import { totalmem } from "node:os";
import { createBudget, DEFAULT_BUDGET, type RpcBudget } from "../../../api/rpc/services/budget.ts";
import { DEFAULT_TIMES } from "../../../platform/http/budget.ts";
import { readTextWithin } from "../../../platform/intake/read-file.ts";

/** File descriptors reserved for the IPC socket, the database, threads and files. */
const KEPT_DESCRIPTORS = 384;
/** Used where the system does not report a limit. */
const ASSUMED_DESCRIPTORS = 1024;

/** Limits shared by all clients, where not the default. */
export interface SharedLimits {
  /** Connections of one listener. */
  readonly connections?: number;
  /** Bytes waiting for clients to read them. Default 512 MiB, or an eighth of the machine's memory if that is less. */
  readonly unsent?: number;
  /** Subscriptions of all clients together. */
  readonly subscriptions?: number;
  /** Seconds for the head of a request, once it has begun. Default 10. */
  readonly headSeconds?: number;
  /** Seconds for a body, or a message over WebSocket. Default 30. */
  readonly bodySeconds?: number;
  /** Seconds without reading anything of a response, over HTTP, WebSocket and IPC. Default 30. */
  readonly unreadSeconds?: number;
  /** Seconds between requests. Default 120. */
  readonly idleSeconds?: number;
}

/**
 * The limits shared by the clients of all listeners of a node, on this machine.
 * @param files - how many files and sockets this process may have open
 */
export function createNodeBudget(
  { unsent, subscriptions, ...limits }: SharedLimits = {},
  files: number = descriptors(),
): RpcBudget {
  const {
    headSeconds = DEFAULT_TIMES.head,
    bodySeconds = DEFAULT_TIMES.body,
    unreadSeconds = DEFAULT_TIMES.unread,
    idleSeconds = DEFAULT_TIMES.idle,
  } = limits;
  return createBudget({
    times: { head: headSeconds, body: bodySeconds, unread: unreadSeconds, idle: idleSeconds },
    connections: Math.max(64, files - KEPT_DESCRIPTORS),
    unsent: unsent ?? Math.min(DEFAULT_BUDGET.unsent, totalmem() / 8),
    ...(subscriptions !== undefined && { subscriptions }),
  });
}

/** How many files and sockets this process may have open. */
function descriptors(): number {
  try {
    const limits = readTextWithin("/proc/self/limits");
    const line = limits.split("\n").find((text) => text.startsWith("Max open files"));
    const soft = line?.slice("Max open files".length).trim().split(" ", 1)[0];
    if (soft === "unlimited") return Number.MAX_SAFE_INTEGER;
    return Number(soft) || ASSUMED_DESCRIPTORS;
  } catch {
    return ASSUMED_DESCRIPTORS; // not Linux
  }
}
