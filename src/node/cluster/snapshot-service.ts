import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { uploadSnapshot } from "../../network/cluster/bootstrap/snapshots.ts";
import type { LogState } from "../../network/cluster/change-log.ts";
import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Ledger } from "../storage/ledger.ts";
import type { SharedLog } from "./shared-log.ts";

/** What makes snapshots. */
export interface SnapshotServiceParts {
  readonly shared: SharedLog;
  readonly ledger: Ledger;
  readonly dataDir: string | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** How often it is looked whether another one is due. */
const LOOK_MS = 10_000;
/** Snapshots that stay in the log: one may be on its way to a new follower. */
const KEPT = 2;

/** Leaves snapshots of the writer's database in the log for new followers, and takes old records and snapshots out. */
export class SnapshotService {
  readonly #parts: SnapshotServiceParts;
  #cancel: Cancel = () => {};
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: SnapshotServiceParts) {
    this.#parts = parts;
  }

  /** Begins with a first one where the log has none. A chain in memory has no files to leave. */
  begin(epoch: bigint, { first }: LogState): void {
    if (this.#parts.dataDir === undefined) return;
    this.#running = this.#look(epoch, first);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  async #look(epoch: bigint, first: bigint): Promise<void> {
    const { shared, ledger, logger } = this.#parts;
    const { snapshotEvery, retain } = shared.settings;
    try {
      const newest = await shared.log.snapshot();
      const head = ledger.chain.head.header.number;
      const isMissing = newest === undefined || newest.height + 1n < first;
      const isDue =
        snapshotEvery > 0 && newest !== undefined && head >= newest.height + BigInt(snapshotEvery);
      if (isMissing || isDue) await this.#make(epoch);
      const made = await shared.log.snapshot();
      if (retain > 0 && made !== undefined) {
        const below = head - BigInt(retain);
        await shared.log.prune(epoch, below < made.height ? below : made.height, KEPT);
      }
    } catch (error) {
      if (!this.#isStopped) logger.warn("no snapshot for new followers", { error: (error as Error).message });
    }
    if (this.#isStopped) return;
    this.#cancel = this.#parts.runtime.timers.schedule(LOOK_MS, () => {
      this.#running = this.#look(epoch, first);
    });
  }

  async #make(epoch: bigint): Promise<void> {
    const { shared, ledger, dataDir, logger } = this.#parts;
    const folder = await mkdtemp(join(dataDir ?? tmpdir(), "snapshot-"));
    try {
      const { header, hash } = ledger.chain.head;
      await ledger.store.copyTo(folder);
      const bytes = await uploadSnapshot(shared.log, epoch, { height: header.number, hash }, folder);
      logger.info("a snapshot for new followers is in the change log", { block: header.number, bytes });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
