import type { Reply } from "./service.ts";

/** Whether a service is fully functional. `reason` is for its operator: it may name files. */
export type Readiness =
  | { readonly isReady: true }
  | {
      readonly isReady: false;
      /** What is wrong; safe to tell strangers. */
      readonly cause: "stopping" | "damage" | "disk" | "sealing";
      readonly code: string;
      readonly reason: string;
    };

type Obstacle = Exclude<Readiness, { readonly isReady: true }>;

/** For strangers: no paths and no system messages. */
const TEXTS: Readonly<Record<Obstacle["cause"], string>> = {
  stopping: "the node is stopping",
  damage: "the data is damaged",
  disk: "the disk takes no writes",
  sealing: "the last attempt to make a block failed",
};

const NOT_STORED = "Cache-Control: no-store\r\n";

/** Liveness and readiness. */
export const PROBES = ["/health", "/ready"] as const;

/**
 * Answers the probes of load balancers and orchestrators: `/health` is an empty 200 while the process responds at all,
 * as by the reference node v2.2.1, `/ready` is 503 with the reason while the service should get no traffic.
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
