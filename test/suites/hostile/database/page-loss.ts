import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "../../../../src/ledger/database/database.ts";
import { DiskHealth } from "../../../../src/ledger/database/disk-health.ts";
import { openLmdbFile } from "../../../../src/ledger/database/lmdb/lmdb-store.ts";
import { CommitLog } from "../../../../src/ledger/database/log/commit-log.ts";
import { openDatabase } from "../../../../src/ledger/database/open-database.ts";
import type { KeyValueStore } from "../../../../src/ledger/database/store.ts";
import { DatabaseStateStore } from "../../../../src/ledger/state/store/database-state-store.ts";
import { turns } from "../../../../src/ledger/state/testing/machine.ts";
import { balanceChange, hashOf } from "../../../../src/ledger/state/testing/model.ts";
import type { Files } from "../../../../src/platform/runtime/files.ts";
import { createSimulatedFiles } from "../../../../src/platform/runtime/simulated/files.ts";
import { createSeededRandomness } from "../../../../src/platform/runtime/simulated.ts";
import { systemRuntime } from "../../../../src/platform/runtime/system.ts";
import { bytesToHex } from "../../../../src/protocol/primitives/hex.ts";
import { hold } from "../row.ts";
import { type PageImage, type Random, unsyncedCreation, unsyncedPages } from "./page-image.ts";

/** Maximum blocks before the power fails. */
const BLOCKS = 40;
/** A file system with free syncs, whose effects are simulated here. */
const MEMORY = "/dev/shm";
/** Turns of the event loop in which all appends to the log complete. */
const IDLE_TURNS = 20;
/** Small enough that LMDB is written to every few blocks. */
const FLUSH_BYTES = 40_000;

/** LMDB in a real file whose writes complete on request: the content before is what its last sync guarantees. */
class WatchedStore {
  readonly #store: KeyValueStore;
  readonly #path: string;
  #synced: Buffer;
  /** The file before its first batch. */
  readonly created: Buffer;
  #writing: { readonly done: Promise<void>; readonly resolve: () => void } | undefined;
  #isOn = true;
  readonly store: KeyValueStore;

  constructor(path: string) {
    this.#path = path;
    this.#store = openLmdbFile(path);
    this.created = readFileSync(path);
    this.#synced = this.created;
    this.store = {
      ...this.#store,
      write: (batch) => {
        // Pending writes of a machine without power are lost.
        if (!this.#isOn) return new Promise(() => {});
        const done = this.#store.write(batch);
        return new Promise((resolve) => {
          this.#writing = { done, resolve };
        });
      },
    };
  }

  /** Completes a pending write. */
  async settle(): Promise<void> {
    const writing = this.#writing;
    if (writing === undefined) return;
    // Other pending work completes first, so that the result does not depend on LMDB's threads.
    await turns(IDLE_TURNS);
    await writing.done;
    this.#synced = readFileSync(this.#path);
    this.#writing = undefined;
    writing.resolve();
  }

  /** The file as of its last sync, and after the pending write. Closes the store. */
  async end(): Promise<{ readonly synced: Buffer; readonly written: Buffer | undefined }> {
    this.#isOn = false;
    await this.#writing?.done;
    const written = this.#writing && readFileSync(this.#path);
    await this.#store.close();
    return { synced: this.#synced, written };
  }
}

/**
 * Cuts the power of machines with a real LMDB file at a random moment: of what LMDB wrote since its last sync, any sectors are on
 * the disk, or all and a part of the committing page; of a new file, any. The log beside it is treated as in `losePower`. One seed is
 * one course of events.
 */
export async function losePages(cuts: number, firstSeed: number): Promise<string> {
  const seen = new Map<string, number>();
  const directory = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "kairn-pages-"));
  try {
    for (let seed = firstSeed; seed < firstSeed + cuts; seed++) {
      const kind = await cut(seed, directory).catch((error: Error) => {
        throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
      });
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  const kinds = [...seen].sort().map(([kind, count]) => `${count} ${kind}`);
  return `${cuts} of ${cuts} cuts held: ${kinds.join(", ")}`;
}

async function cut(seed: number, parent: string): Promise<string> {
  const { bytes } = createSeededRandomness(seed);
  const random: Random = (below) => new DataView(bytes(4).buffer).getUint32(0) % below;
  const isCreation = random(5) === 0;
  const directory = join(parent, `${seed}`);
  mkdirSync(directory);
  const watched = new WatchedStore(join(directory, "store.mdb"));
  const files = createSimulatedFiles();
  const health = new DiskHealth(systemRuntime.timers);
  const database = new Database({
    ...{ store: watched.store, checkedFile: "store.mdb", health },
    log: new CommitLog(files, directory, health),
    flushBytes: isCreation ? Number.POSITIVE_INFINITY : FLUSH_BYTES,
  });
  const history = { recentBlocks: 16, archive: seed % 2 === 0 };
  const store = new DatabaseStateStore(database, history);
  const roots = new Map<bigint, string>();
  let acknowledged = -1n;
  const blocks = 1 + random(BLOCKS);
  for (let number = 0n; number < blocks; number++) {
    const indexes = new Set(Array.from({ length: 1 + random(20) }, () => random(500)));
    const accounts = [...indexes].map((index) => balanceChange(index, number + 2n));
    const staged = store.stage({ accounts, codes: [] });
    roots.set(number, bytesToHex(staged.root));
    const row = { table: "body", key: bytes(8), value: bytes(random(2000)) };
    const { durable } = staged.commit({ number, hash: hashOf(Number(number)) }, [row]);
    void durable.then(() => {
      acknowledged = number;
    });
    if (!isCreation && random(9) === 0) void database.flush();
    await turns(random(3));
    if (random(3) === 0) await watched.settle();
  }
  const promised = acknowledged;
  const log = files.afterPowerLoss(
    (appending) => random(appending + 1),
    () => random(3) > 0,
  );
  const { synced, written } = await watched.end();
  // The log is created after the file, and noted in it: a power loss before that leaves no log and no acknowledgement.
  const isFirst = isCreation && random(3) === 0;
  const image = isCreation
    ? unsyncedCreation(random, isFirst ? watched.created : synced)
    : unsyncedPages(random, synced, written);
  await check({
    ...{ image, directory, history, roots },
    files: besideStore(isFirst ? createSimulatedFiles() : log),
    promised: isFirst ? -1n : promised,
  });
  rmSync(directory, { recursive: true });
  return isFirst ? `${image.kind}, before the log` : image.kind;
}

/** Starts on the remaining files, and checks head, state and every row. */
async function check(found: {
  readonly image: PageImage;
  readonly directory: string;
  readonly files: Files;
  readonly history: { readonly recentBlocks: number; readonly archive: boolean };
  readonly promised: bigint;
  readonly roots: ReadonlyMap<bigint, string>;
}): Promise<void> {
  const { image, directory, files, promised, roots } = found;
  const path = join(directory, "store.mdb");
  rmSync(path);
  if (image.bytes) writeFileSync(path, image.bytes);
  const database = await openDatabase({ engine: "lmdb", directory, files, timers: systemRuntime.timers });
  try {
    const store = new DatabaseStateStore(database, found.history);
    const head = store.head?.number ?? -1n;
    hold(head >= promised, `${image.kind}: block ${promised} was acknowledged, the head is ${head}`);
    if (head >= 0n)
      hold(
        bytesToHex(store.latest().root) === roots.get(head),
        `${image.kind}: another state at block ${head}`,
      );
    store.verify();
    database.verifyRows();
  } finally {
    await database.abandon();
  }
}

/** Simulated files in whose folder LMDB keeps a real one. */
function besideStore(files: Files): Files {
  return {
    ...files,
    rename: (from, to) => (existsSync(from) ? renameSync(from, to) : files.rename(from, to)),
  };
}
