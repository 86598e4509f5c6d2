import type { Reply } from "./service.ts";

/** Whether a service can do all it is there for. `reason` is for its operator: it may name files. */
export type Readiness =
  | { readonly isReady: true }
  | {
      readonly isReady: false;
      /** What stands in the way; strangers may know as much. */
      readonly cause: "stopping" | "damage" | "disk" | "sealing";
      readonly code: string;
      readonly reason: string;
    };

type Obstacle = Exclude<Readiness, { readonly isReady: true }>;

/** For strangers, who learn no path and no text of the system. */
const TEXTS: Readonly<Record<Obstacle["cause"], string>> = {
  stopping: "the node is stopping",
  damage: "the data is damaged",
  disk: "the disk takes no writes",
  sealing: "the last attempt to make a block failed",
};

const NOT_STORED = "Cache-Control: no-store\r\n";

/** Whether the process answers, and whether it is good for work. */
export const PROBES = ["/health", "/ready"] as const;

/**
 * Answers what a load balancer or an orchestrator asks: `/health` is an empty 200 as long as anything is answered, as by the
 * reference node v2.2.1, `/ready` is 503 with
 * the reason while the service should be given no work.
 * @returns undefined for any other path
 */
export function answerProbe(path: string, readiness: () => Readiness): Reply | undefined {
  if (path === "/health") return { status: 200, headers: NOT_STORED, body: "" };
  if (path !== "/ready") return undefined;
  const now = readiness();
  if (now.isReady) return reply(200, { ready: true });
  const { cause, code } = now;
  return reply(503, { ready: false, cause, code, reason: TEXTS[cause] });
}

function reply(status: number, body: object): Reply {
  const headers = `Content-Type: application/json\r\n${NOT_STORED}`;
  return { status, headers, body: `${JSON.stringify(body)}\n` };
}
