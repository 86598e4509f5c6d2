import type { Reply } from "../service.ts";

/** Whether a service is fully functional. `reason` is for its operator: it may name files. */
export type Readiness =
  | { readonly isReady: true }
  | {
      readonly isReady: false;
      /** What is wrong; safe to reveal to strangers. */
      readonly cause: "stopping" | "damage" | "disk" | "sealing" | "cluster" | "lag" | "peers";
      readonly code: string;
      readonly reason: string;
    };

type Obstacle = Exclude<Readiness, { readonly isReady: true }>;

/** For strangers: no paths and no system messages. */
const TEXTS: Readonly<Record<Obstacle["cause"], string>> = {
  stopping: "the node is stopping",
  damage: "the data is damaged",
  disk: "the disk takes no writes",
  sealing: "the last attempt to seal a block failed",
  cluster: "the change log cannot be fed or followed",
  lag: "the chain is further behind its peers than allowed",
  peers: "fewer peers are connected than required",
};

/** Thresholds that the caller of `/ready` names. */
export interface Thresholds {
  /** Maximum number of blocks behind the best peer. */
  readonly lag?: number;
  /** Minimum number of connected peers. */
  readonly peers?: number;
}

/** Whether a service is ready, by its own criteria and the caller's. */
export type ReadinessCheck = (thresholds: Thresholds) => Readiness;

const NOT_STORED = "Cache-Control: no-store\r\n";

/** Liveness and readiness. */
export const PROBES = ["/health", "/ready"] as const;

/**
 * Serves the probes of load balancers and orchestrators: `/health` is an empty 200 while the process responds at all,
 * as by the reference node v2.2.1, `/ready` is 503 with the reason while the service should get no traffic.
 * `/ready?lag=5&peers=3` adds thresholds.
 * @param target - path, with or without a query
 * @returns undefined for any other path
 */
export function answerProbe(target: string, readiness: ReadinessCheck): Reply | undefined {
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  if (path === "/health") return { status: 200, headers: NOT_STORED, body: "" };
  if (path !== "/ready") return undefined;
  const thresholds = readThresholds(at < 0 ? "" : target.slice(at + 1));
  if (thresholds === undefined)
    return reply(400, { error: "lag and peers must be whole numbers, and there are no other parameters" });
  const now = readiness(thresholds);
  if (now.isReady) return reply(200, { ready: true });
  const { cause, code } = now;
  return reply(503, { ready: false, cause, code, reason: TEXTS[cause] });
}

/** @returns undefined for an invalid query */
function readThresholds(query: string): Thresholds | undefined {
  const thresholds: { lag?: number; peers?: number } = {};
  for (const [name, text] of new URLSearchParams(query)) {
    if ((name !== "lag" && name !== "peers") || !/^[0-9]{1,9}$/.test(text)) return undefined;
    thresholds[name] = Number(text);
  }
  return thresholds;
}

/** Whether a request is a probe with thresholds. */
export function isProbeQuery(target: string): boolean {
  return target.startsWith("/ready?");
}

function reply(status: number, body: object): Reply {
  const headers = `Content-Type: application/json\r\n${NOT_STORED}`;
  return { status, headers, body: `${JSON.stringify(body)}\n` };
}
