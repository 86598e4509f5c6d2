import { totalmem } from "node:os";
import {
  createBudget,
  DEFAULT_AMOUNTS,
  type RpcBudget,
  type SharedAmounts,
} from "../../../api/rpc/services/budget.ts";
import { DEFAULT_TIMES } from "../../../platform/http/budget.ts";
import { readTextWithin } from "../../../platform/intake/read-file.ts";

/** File descriptors reserved for the IPC socket, the database, threads and files. */
const KEPT_DESCRIPTORS = 384;
/** Used where the system does not report a limit. */
const ASSUMED_DESCRIPTORS = 1024;

/** Limits shared by all clients, where not the default; `unsent` is at most an eighth of the machine's memory by default. */
export interface SharedLimits extends Partial<SharedAmounts> {
  /** Connections of one listener. */
  readonly connections?: number;
  /** Seconds for the head of a request, once it has begun. Default 10. */
  readonly headSeconds?: number;
  /** Seconds for a body, or a message over WebSocket or IPC. Default 30. */
  readonly bodySeconds?: number;
  /** Seconds without reading anything of a response, over HTTP, WebSocket and IPC. Default 30. */
  readonly unreadSeconds?: number;
  /** Seconds between requests over HTTP. Default 120. */
  readonly idleSeconds?: number;
  /** Seconds until a request over HTTP is answered with 503; absent = each method has a limit of its own, if any. */
  readonly answerSeconds?: number;
}

/**
 * The limits shared by the clients of all listeners of a node, on this machine.
 * @param files - how many files and sockets this process may have open
 */
export function createNodeBudget(
  { connections: _ofOneListener, ...limits }: SharedLimits = {},
  files: number = descriptors(),
): RpcBudget {
  const {
    headSeconds = DEFAULT_TIMES.head,
    bodySeconds = DEFAULT_TIMES.body,
    unreadSeconds = DEFAULT_TIMES.unread,
    idleSeconds = DEFAULT_TIMES.idle,
    answerSeconds = DEFAULT_TIMES.answer,
    ...amounts
  } = limits;
  return createBudget({
    unsent: Math.min(DEFAULT_AMOUNTS.unsent, totalmem() / 8),
    ...amounts,
    times: {
      ...{ head: headSeconds, body: bodySeconds, unread: unreadSeconds, idle: idleSeconds },
      answer: answerSeconds,
    },
    connections: Math.max(64, files - KEPT_DESCRIPTORS),
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
