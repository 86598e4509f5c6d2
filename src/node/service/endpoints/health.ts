import type { Health } from "../../../ledger/state/state.ts";
import type { Readiness, Thresholds } from "../../../platform/http/routes/probes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** The health of a node. `reason` is for people: it names the file and the disk's error. */
export type NodeHealth = Readiness;

/** The inputs of a node's health. */
export interface HealthParts {
  /** Of everything that must be on disk before others are told of it: the database, the pool's journal, a validator's votes. */
  readonly disks: readonly Health[];
  readonly isStopping: boolean;
  /** Why the last block could not be sealed; undefined if it could, or if none is due. */
  readonly sealingFailure: unknown;
  /** What keeps this node from being ready beside its change log. */
  readonly cluster?: NodeHealth | undefined;
  /** Connected peers. */
  readonly peers: number;
  /** Blocks that peers have and this node has not yet. */
  readonly lag: number;
}

/** The first of them that is not healthy. */
export function failingDisk(
  disks: readonly Health[],
): Exclude<Health, { readonly state: "healthy" }> | undefined {
  return disks.find((disk) => disk.state !== "healthy");
}

/** The most serious problem of a node, if any. @param thresholds - of the caller; absent ones are not checked */
export function healthOf(parts: HealthParts, thresholds: Thresholds = {}): NodeHealth {
  const { disks, isStopping, sealingFailure } = parts;
  if (isStopping)
    return { isReady: false, cause: "stopping", code: "STOPPING", reason: "the node is stopping" };
  const failing = failingDisk(disks);
  if (failing !== undefined) {
    const { state, code, reason } = failing;
    return { isReady: false, cause: state === "damaged" ? "damage" : "disk", code, reason };
  }
  if (sealingFailure !== undefined) {
    const code = sealingFailure instanceof NodeError ? sealingFailure.code : "SEALING";
    return { isReady: false, cause: "sealing", code, reason: String(sealingFailure) };
  }
  return parts.cluster ?? withinThresholds(parts, thresholds);
}

function withinThresholds({ lag, peers }: HealthParts, limits: Thresholds): NodeHealth {
  if (limits.lag !== undefined && lag > limits.lag)
    return { isReady: false, cause: "lag", code: "LAG", reason: `${lag} blocks behind` };
  if (limits.peers !== undefined && peers < limits.peers)
    return { isReady: false, cause: "peers", code: "PEERS", reason: `${peers} peers` };
  return { isReady: true };
}
