import type { IndexProgress } from "../../ledger/chain/logs/build-log-index.ts";
import type { Clock } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";

const PAUSE_MS = 5_000;

/** Logs the progress of building the log index of a chain written by an older version, every few seconds and at the end. */
export function createIndexingLog(logger: Logger, clock: Clock): IndexProgress {
  let next = 0;
  return (block, head) => {
    if (block < head && clock.elapsed() < next) return;
    next = clock.elapsed() + PAUSE_MS;
    logger.info("logs of an older version's chain are being indexed", { block, head });
  };
}
