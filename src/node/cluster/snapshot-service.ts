import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { uploadSnapshot } from "../../network/cluster/bootstrap/snapshots.ts";
import type { LogState } from "../../network/cluster/change-log.ts";
import type { Cancel, Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { Ledger } from "../storage/ledger.ts";
import type { SharedLog } from "./shared-log.ts";

/** Dependencies of the service. */
export interface SnapshotServiceParts {
  readonly shared: SharedLog;
  readonly ledger: Ledger;
  readonly dataDir: string | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** Interval of checks whether a snapshot is due. */
const CHECK_INTERVAL_MS = 10_000;
/** Delay after a failure: each attempt copies the database. */
const RETRY_MS = 60_000;
/** Subfolder of the data folder for a copy in progress; leftovers are cleaned up at the next start. */
const COPY = "snapshot.part";
/** Number of snapshots kept in the log: a new follower may be fetching one. */
const KEPT = 2;

/** Uploads snapshots of the writer's database to the log for new followers, and prunes old records and snapshots. */
export class SnapshotService {
  readonly #parts: SnapshotServiceParts;
  #cancel: Cancel = () => {};
  #running: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(parts: SnapshotServiceParts) {
    this.#parts = parts;
  }

  /** Starts, with a first snapshot if the log has none; does nothing for a chain in memory. */
  begin(epoch: bigint, { first }: LogState): void {
    const { dataDir } = this.#parts;
    if (dataDir !== undefined) this.#running = this.#check(epoch, { first, dataDir });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel();
    await this.#running;
  }

  async #check(epoch: bigint, at: { readonly first: bigint; readonly dataDir: string }): Promise<void> {
    const { shared, ledger, logger } = this.#parts;
    const { snapshotEvery, retain } = shared.settings;
    const { signal } = this.#stopping;
    let pauseMs = CHECK_INTERVAL_MS;
    try {
      const newest = await shared.log.snapshot();
      const head = ledger.chain.head.header.number;
      const isMissing = newest === undefined || newest.height + 1n < at.first;
      const isDue =
        snapshotEvery > 0 && newest !== undefined && head >= newest.height + BigInt(snapshotEvery);
      if (isMissing || isDue) await this.#make(epoch, at.dataDir);
      const made = await shared.log.snapshot();
      // Without retention only old snapshots are removed.
      const oldest = retain > 0 ? head - BigInt(retain) : 0n;
      if (made) await shared.log.prune(epoch, oldest < made.height ? oldest : made.height, KEPT);
    } catch (error) {
      if (!signal.aborted) logger.warn("no snapshot for new followers", { error: (error as Error).message });
      pauseMs = RETRY_MS;
    }
    if (signal.aborted) return;
    this.#cancel = this.#parts.runtime.timers.schedule(pauseMs, () => {
      this.#running = this.#check(epoch, at);
    });
  }

  async #make(epoch: bigint, dataDir: string): Promise<void> {
    const { shared, ledger, logger } = this.#parts;
    const { signal } = this.#stopping;
    const folder = join(dataDir, COPY);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    try {
      const { header, hash } = ledger.chain.head;
      await ledger.store.copyTo(folder);
      const after = { height: header.number, hash };
      const { bytes, sha256 } = await uploadSnapshot(shared.log, epoch, after, { folder, signal });
      const facts = { block: header.number, bytes, sha256: bytesToHex(sha256) };
      logger.info("a snapshot for new followers is in the change log", facts);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
