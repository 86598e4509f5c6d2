import type { NodeHealth } from "../service/endpoints/health.ts";
import type { ClusterStatus } from "./cluster.ts";

/** A log not seen for this long may have grown unnoticed. */
const UNSEEN_MS = 10_000;

/** What keeps a node with a change log from being ready; undefined if nothing does. @param maxLag - blocks that a follower may lack */
export function clusterObstacle(status: ClusterStatus, maxLag: number): NodeHealth | undefined {
  const { role, lag, lookedMs = 0, failure } = status;
  const not = { isReady: false, cause: "cluster" } as const;
  if (failure !== undefined) return { ...not, code: failure.code, reason: failure.message };
  if (role === "writer" || role === "feeder") return undefined;
  if (lookedMs > UNSEEN_MS)
    return { ...not, code: "LOG_UNREACHABLE", reason: "the change log was not seen for 10 s" };
  if (lag <= maxLag) return undefined;
  return { ...not, code: "LAG", reason: `${lag} blocks behind the change log` };
}
