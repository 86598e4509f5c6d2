import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { downloadSnapshot } from "../../network/cluster/bootstrap/snapshots.ts";
import type { SnapshotPart, SnapshotPlace } from "../../network/cluster/change-log.ts";
import { ClusterError, isTransient } from "../../network/cluster/errors.ts";
import { createFolder } from "../../platform/runtime/create-folder.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import type { SharedLog } from "./shared-log.ts";

/** How long a new follower waits for the writer to leave a snapshot, or for the database. */
const TIMEOUT_MS = 60_000;
const PAUSE_MS = 500;
/** File in the data folder that marks its chain as an unverified snapshot. */
const UNCHECKED = "snapshot-unchecked";

/**
 * Initialises the data folder of a new follower or standby from the newest snapshot of the log. A snapshot that was not confirmed by
 * `confirmSnapshot` is replaced at the next start.
 * @returns the snapshot, which must be verified; undefined if the folder already has a chain
 * @throws ClusterError `LOG_OTHER_CHAIN` for another genesis than configured, `LOG_INCONSISTENT` for another snapshot
 */
export async function bootstrap(
  { log, settings }: Pick<SharedLog, "log" | "settings">,
  dataDir: string | undefined,
  logger: Logger,
): Promise<SnapshotPlace | undefined> {
  if (dataDir === undefined)
    throw new ClusterError(
      "DIVERGED",
      "a node that follows a change log keeps its chain in a folder: give --datadir",
    );
  const folder = join(dataDir, "chaindata");
  const mark = join(dataDir, UNCHECKED);
  if (existsSync(folder) && !existsSync(mark)) return undefined;
  const { genesis, snapshotSha256 } = settings;
  if (genesis === undefined)
    logger.warn(
      "the chain of the change log is trusted as it is: name the expected genesis with --changelog.genesis",
    );
  const place = await waitFor(async () => {
    await log.open({ ...(genesis !== undefined && { genesisHash: hexToBytes(genesis) }) });
    return log.snapshot();
  }, logger);
  if (place === undefined)
    throw new ClusterError(
      "LOG_TOO_OLD",
      "the change log has no snapshot to start from: is its writer running?",
    );
  logger.info("starting from a snapshot of the change log", { block: place.height, parts: place.parts });
  createFolder(dataDir);
  await writeFile(mark, "");
  await rm(folder, { recursive: true, force: true });
  const snapshotPart = async (height: bigint, part: number) =>
    (await waitFor(() => log.snapshotPart(height, part), logger)) as SnapshotPart;
  const sha256 = snapshotSha256 === undefined ? undefined : hexToBytes(snapshotSha256);
  await downloadSnapshot({ snapshotPart }, place, { folder, sha256 });
  return place;
}

/** Marks the chain of a data folder as verified. */
export async function confirmSnapshot(dataDir: string): Promise<void> {
  await rm(join(dataDir, UNCHECKED), { force: true });
}

async function waitFor<T>(look: () => Promise<T | undefined>, logger: Logger): Promise<T | undefined> {
  let told: string | undefined;
  for (const until = performance.now() + TIMEOUT_MS; ; await pause(PAUSE_MS)) {
    const isLate = performance.now() > until;
    let reason = "no snapshot yet";
    try {
      const found = await look();
      if (found !== undefined || isLate) return found;
    } catch (error) {
      const isMissing = error instanceof ClusterError && error.code === "LOG_SCHEMA" && isNotMigrated(error);
      if (isLate || !(isTransient(error) || isMissing)) throw error;
      reason = (error as Error).message;
    }
    if (reason !== told) logger.info("waiting for the change log", { reason });
    told = reason;
  }
}

/** Whether tables are missing or outdated, until the writer migrates them. */
function isNotMigrated({ details }: ClusterError): boolean {
  return Number(details["version"] ?? 0) < Number(details["newest"] ?? 1);
}
