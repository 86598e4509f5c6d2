import type { StoreHealth, StoreStats } from "../../ledger/state/state.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";

/** Logs the recovery from a crash, and when the disk starts and stops failing. */
export function watchDisk(
  health: StoreHealth,
  { truncatedBytes, tornFile, rebuiltFile, keptAs, replayed }: StoreStats,
  logger: Logger,
): void {
  if (truncatedBytes > 0)
    logger.warn("cut off the end of the log, a write that was not ended when the node died", {
      file: tornFile,
      bytes: truncatedBytes,
      replayed,
    });
  if (rebuiltFile !== undefined)
    logger.warn(
      "the database was new, lost or unreadable; it is made again from the log, which has everything",
      {
        file: rebuiltFile,
        ...(keptAs !== undefined && { keptAs }),
        replayed,
      },
    );
  let before: string = health.now.state;
  health.onChange((now) => {
    if (now.state === before) return;
    before = now.state;
    if (now.state === "healthy") logger.info("the disk takes writes again");
    else if (now.state === "failing")
      logger.error("the disk fails: no blocks and no transactions until writes succeed again", {
        code: now.code,
        reason: now.reason,
      });
    else logger.error("the data is damaged: nothing is written any more", { reason: now.reason });
  });
}
