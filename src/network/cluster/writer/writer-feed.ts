// One class: the queue, its share in memory and the progress of the log together decide what may be built and announced.
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { BlockReference } from "../../../ledger/chain/chain-parts.ts";
import type { CommitFeed } from "../../../ledger/chain/commit-feed.ts";
import type { StateChanges } from "../../../ledger/state/state.ts";
import { PendingWaits } from "../../../platform/runtime/pending-waits.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { senderOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { ChangeLog, LogStart, NewRecord } from "../change-log.ts";
import { ClusterError, isTransient } from "../errors.ts";
import { Pause } from "../pause.ts";
import { type BlockChange, encodeChange } from "../record/change-codec.ts";
import { mergeChanges } from "../record/merge-changes.ts";
import { recordChecksum } from "../record/record-checksum.ts";
import { EditedStates } from "./edited-states.ts";

/** What must have persisted a block before it is announced. */
export type Durability =
  /** The local disk; the log may lag. */
  | "local"
  /** The local disk and the log. */
  | "shared";

/** Dependencies of a writer's feed. */
export interface WriterFeedParts {
  readonly log: ChangeLog;
  /** The chain to be logged; called once it exists. */
  chain(): Blockchain;
  readonly durability: Durability;
  /** Maximum number of blocks that the log may lag behind before building stops. */
  readonly maxBehind: number;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
  /** Called once, with the error that ends this writer for good. */
  onFailure(error: ClusterError): void;
}

/** Queued blocks whose changes are held in memory; later ones are reread from the chain. */
const MAX_CHANGES_IN_MEMORY = 64;
/** Limits of an append. */
const BATCH = { records: 32, bytes: 4 << 20 };
/** Initial and maximum back-off after a failure. */
const RETRY_MS = { first: 100, most: 1_000 };

interface Committed extends Omit<BlockChange, "senders"> {
  /** The receipts in storage form. */
  readonly stored?: Uint8Array | undefined;
}

interface Appended {
  readonly kind: "append";
  readonly height: bigint;
  readonly hash: Hash;
  /** Absent = to be read from the chain. */
  readonly change: Committed | undefined;
  readonly done: () => void;
}

type Task = Appended | { readonly kind: "truncate"; readonly to: LogStart };

/** The content of one append. */
interface Batch {
  readonly records: readonly NewRecord[];
  /** Number of tasks that it completes. */
  readonly tasks: number;
  /** Next height to backfill from the chain. */
  readonly next: bigint;
}

/** How far the log lags behind. */
export interface FeedLag {
  /** Blocks that are not in the log. */
  readonly blocks: number;
  /** Why the last attempt failed; undefined while the log accepts records. */
  readonly failure: ClusterError | undefined;
}

/** Appends the chain's commits to the log, in order, from `begin` on. Before that it permits everything. */
export class WriterFeed implements CommitFeed {
  readonly #parts: WriterFeedParts;
  readonly #edited = new EditedStates();
  readonly #waits = new PendingWaits();
  /** Why nothing is appended any more. */
  #end: ClusterError | undefined;
  #tasks: Task[] = [];
  /** Heights that the chain was ahead of the log at the start, appended before all tasks. */
  #backfill = { next: 0n, last: -1n };
  #epoch: bigint | undefined;
  #running: Promise<void> | undefined;
  #transient: ClusterError | undefined;
  #failure: ClusterError | undefined;
  #isClosed = false;
  readonly #pause: Pause;
  #mayBuild: () => void = () => {};
  #appended = { records: 0, bytes: 0 };

  constructor(parts: WriterFeedParts) {
    this.#parts = parts;
    this.#pause = new Pause(parts.runtime.timers);
  }

  get lag(): FeedLag {
    return { blocks: this.#behind, failure: this.#failure ?? this.#transient };
  }

  /** Records and payload bytes appended since the start. */
  get appended(): { readonly records: number; readonly bytes: number } {
    return this.#appended;
  }

  /**
   * Starts appending: first the blocks that the chain is ahead of the log, then new commits.
   * @param head - head of the log, which the chain must have too
   * @param mayBuild - throws while the lease may have expired
   */
  begin(epoch: bigint, head: LogStart, mayBuild: () => void): void {
    this.#epoch = epoch;
    this.#mayBuild = mayBuild;
    this.#backfill = { next: head.height + 1n, last: this.#parts.chain().tip.header.number };
    this.#run();
  }

  /** Resolves once the backfill is complete. @throws ClusterError if it fails */
  async caughtUp(): Promise<void> {
    while (this.#isBackfilling && this.#running) await this.unlessFailing(this.#running);
  }

  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#epoch === undefined) return;
    this.#mayBuild();
    const { maxBehind } = this.#parts;
    if (this.#behind < maxBehind) return;
    const reason = this.#transient?.message ?? "it takes less than is made";
    const text = `no more blocks are sealed: the change log lacks ${this.#behind} (--changelog.max-behind ${maxBehind}): ${reason}`;
    throw new ClusterError("LOG_BUSY", text);
  }

  committed(
    { block, hash, receipts }: ExecutedBlock,
    changes: StateChanges,
    stored?: Uint8Array,
  ): Promise<void> | undefined {
    if (this.#epoch === undefined) return undefined;
    const { number: height } = block.header;
    const edited = this.#edited.valuesAfter(height - 1n, this.#parts.chain().store.latest());
    const all = edited === undefined ? changes : mergeChanges(edited, changes);
    const isKept = edited !== undefined || this.#tasks.length < MAX_CHANGES_IN_MEMORY;
    const change = isKept ? { block, receipts, changes: all, stored } : undefined;
    const appended = new Promise<void>((done) => {
      this.#tasks.push({ kind: "append", height, hash, change, done });
    });
    this.#run();
    return this.#parts.durability === "shared" ? appended : undefined;
  }

  rewound({ header, hash }: BlockReference): void {
    this.#edited.rewound(header.number);
    // One of several writers must not remove what others have appended.
    if (this.#epoch === undefined || this.#epoch === 0n) return;
    this.#tasks.push({ kind: "truncate", to: { height: header.number, hash } });
    this.#run();
  }

  amended(changes: StateChanges): void {
    this.#edited.note(this.#parts.chain().tip.header.number, changes);
  }

  unlessFailing<T>(promise: Promise<T>): Promise<T> {
    return this.#waits.unlessFailed(promise, this.#end);
  }

  /** Fails permanently: nothing is built or announced any more. */
  fail(error: ClusterError): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = error;
    this.#endWith(error);
    this.#pause.end();
    this.#parts.onFailure(error);
  }

  /** Drains the queue, up to a timeout, and closes. @returns the number of blocks that the log still lacks */
  async close(patienceMs: number): Promise<number> {
    const { timers } = this.#parts.runtime;
    let cancel = (): void => {};
    const late = new Promise<void>((resolve) => {
      cancel = timers.schedule(patienceMs, resolve);
    });
    await Promise.race([this.#running, late]);
    cancel();
    this.#isClosed = true;
    this.#pause.end();
    this.#endWith(new ClusterError("LOG_BUSY", "the node is stopping"));
    return this.lag.blocks;
  }

  #endWith(error: ClusterError): void {
    this.#end ??= error;
    this.#waits.fail(this.#end);
  }

  #run(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#hasWork && !this.#isOver) this.#run();
    });
  }

  async #work(): Promise<void> {
    for (let pauseMs = RETRY_MS.first; this.#hasWork && !this.#isOver; ) {
      try {
        const { tasks, next } = await this.#step(this.#epoch as bigint);
        this.#backfill.next = next;
        for (const task of this.#tasks.splice(0, tasks)) if (task.kind === "append") task.done();
        if (this.#transient)
          this.#parts.logger.info("the change log takes records again", { lacks: this.lag.blocks });
        this.#transient = undefined;
        pauseMs = RETRY_MS.first;
      } catch (error) {
        if (!isTransient(error)) return this.fail(asClusterError(error));
        if (!this.#transient)
          this.#parts.logger.warn("the change log cannot be reached", { error: error.message });
        this.#transient = error;
        await this.#pause.take(pauseMs);
        pauseMs = Math.min(2 * pauseMs, RETRY_MS.most);
      }
    }
  }

  get #isBackfilling(): boolean {
    return this.#backfill.next <= this.#backfill.last;
  }

  get #hasWork(): boolean {
    return this.#isBackfilling || this.#tasks.length > 0;
  }

  /** Number of blocks that the log lacks. */
  get #behind(): number {
    const { next, last } = this.#backfill;
    return this.#tasks.length + (this.#isBackfilling ? Number(last - next) + 1 : 0);
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== undefined;
  }

  /** Completes the first task, along with the following ones that fit. @returns the progress */
  async #step(epoch: bigint): Promise<Omit<Batch, "records">> {
    const { log } = this.#parts;
    const [first] = this.#tasks;
    if (!this.#isBackfilling && first?.kind === "truncate") {
      await log.truncate(epoch, first.to);
      return { tasks: 1, next: this.#backfill.next };
    }
    const batch = this.#batch();
    const { records } = batch;
    if (records.length > 0) await log.append(epoch, records);
    this.#appended.records += records.length;
    this.#appended.bytes += records.reduce((sum, { payload }) => sum + payload.length, 0);
    return batch;
  }

  #batch(): Batch {
    const records: NewRecord[] = [];
    let bytes = 0;
    const isFull = () => records.length === BATCH.records || bytes >= BATCH.bytes;
    const { chainId } = this.#parts.chain().config;
    const add = (hash: Hash, change: Committed) => {
      const record = recordOf(hash, change, chainId);
      records.push(record);
      bytes += record.payload.length;
    };
    let { next, last } = this.#backfill;
    for (; next <= last && !isFull(); next++) {
      const own = this.#parts.chain().ancestry.hash(next);
      const change = own && this.#readBack(next);
      if (change === undefined)
        last = next; // rewound meanwhile: the truncation follows
      else add(own as Hash, change);
    }
    if (last < this.#backfill.last) next = this.#backfill.last + 1n;
    let tasks = 0;
    for (const task of next > this.#backfill.last ? this.#tasks : []) {
      if (task.kind === "truncate" || isFull()) break;
      const change = task.change ?? (this.#has(task) ? this.#readBack(task.height) : undefined);
      tasks++;
      // A queued block that was removed from the chain is followed by the truncation.
      if (change === undefined) break;
      add(task.hash, change);
    }
    return { records, tasks, next };
  }

  #has({ height, hash }: Appended): boolean {
    const own = this.#parts.chain().ancestry.hash(height);
    return own !== undefined && equalBytes(own, hash);
  }

  #readBack(height: bigint): Committed | undefined {
    const chain = this.#parts.chain();
    const stored = chain.committed(height);
    return stored && { ...stored, changes: chain.store.changesOf(height) };
  }
}

function recordOf(hash: Hash, { stored, ...change }: Committed, chainId: bigint): NewRecord {
  const { header, transactions } = change.block;
  const senders = transactions.map((transaction) => senderOf(transaction, chainId));
  const payload = encodeChange({ ...change, senders }, stored);
  const fields = { height: header.number, hash, parentHash: header.parentHash, stateRoot: header.stateRoot };
  return { ...fields, payload, checksum: recordChecksum(fields, payload) };
}

function asClusterError(error: unknown): ClusterError {
  if (error instanceof ClusterError) return error;
  const text = `the change log cannot be fed: ${(error as Error).message}`;
  return new ClusterError("LOG_FAILED", text, {}, { cause: error });
}
