import type { NodeHealth } from "../service/endpoints/health.ts";
import type { ClusterStatus } from "./cluster.ts";

/** A status older than this is stale. */
const STALE_MS = 10_000;

/** Why a node with a change log is not ready; undefined if it is. @param maxLag - maximum lag of a follower in blocks */
export function clusterObstacle(status: ClusterStatus, maxLag: number): NodeHealth | undefined {
  const { role, lag, polledMs = 0, failure } = status;
  const not = { isReady: false, cause: "cluster" } as const;
  if (failure !== undefined) return { ...not, code: failure.code, reason: failure.message };
  if (role === "writer" || role === "feeder") return undefined;
  if (polledMs > STALE_MS)
    return { ...not, code: "LOG_UNREACHABLE", reason: "the change log was not seen for 10 s" };
  if (lag <= maxLag) return undefined;
  return { ...not, code: "LAG", reason: `${lag} blocks behind the change log` };
}
