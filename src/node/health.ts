import type { Health } from "../ledger/state/state.ts";
import type { Readiness } from "../platform/http/probes.ts";
import { NodeError } from "../protocol/primitives/errors.ts";

/** How a node is. `reason` is for people: it names the file and what the disk says. */
export type NodeHealth = Readiness;

/** What a node's health is made of. */
export interface HealthParts {
  readonly disk: Health;
  readonly isStopping: boolean;
  /** Why the last block could not be made; undefined where it could, or none is to be made. */
  readonly sealingFailure: unknown;
}

/** The gravest of what stands in the way of a node, if anything does. */
export function healthOf({ disk, isStopping, sealingFailure }: HealthParts): NodeHealth {
  if (isStopping)
    return { isReady: false, cause: "stopping", code: "STOPPING", reason: "the node is stopping" };
  if (disk.state !== "healthy") {
    const cause = disk.state === "damaged" ? "damage" : "disk";
    return { isReady: false, cause, code: disk.code, reason: disk.reason };
  }
  if (sealingFailure === undefined) return { isReady: true };
  const code = sealingFailure instanceof NodeError ? sealingFailure.code : "SEALING";
  return { isReady: false, cause: "sealing", code, reason: String(sealingFailure) };
}
