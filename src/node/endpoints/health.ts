import type { Health } from "../../ledger/state/state.ts";
import type { Readiness } from "../../platform/http/probes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** The health of a node. `reason` is for people: it names the file and the disk's error. */
export type NodeHealth = Readiness;

/** The inputs of a node's health. */
export interface HealthParts {
  readonly disk: Health;
  readonly isStopping: boolean;
  /** Why the last block could not be sealed; undefined if it could, or if none is due. */
  readonly sealingFailure: unknown;
}

/** The gravest problem of a node, if there is any. */
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
