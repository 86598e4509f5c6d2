// One class: mode, pause and requests decide together when the next block is sealed.
import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import { ChainError } from "../../../ledger/chain/errors.ts";
import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ChainClock } from "./chain-clock.ts";
import { SealingError } from "./errors.ts";
import { Sealer, type SealerParts } from "./sealer.ts";
import type { SealingMode } from "./sealing-mode.ts";

/** Maximum unpublished blocks of one `sealNow` call. */
const MAX_BACKLOG = 64;
/** Delay before a failed block is retried, for instance if remote state could not be fetched. */
const RETRY_MS = 1000;
/** How long the next block is delayed to batch transactions, while they arrive at the rate of the last one. */
const BATCHING_MS = 1;
/** Milliseconds of uninterrupted sealing after which it yields to other tasks. */
const TURN_MS = 5;

/** Dependencies of a sealing service. */
export interface SealingParts {
  /** Prepares headers and seals blocks. */
  readonly engine: Pick<SealerParts, "prepare" | "seal">;
  readonly clock: ChainClock;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/** Further parts, present once it is started. */
interface StartedParts {
  readonly producer: BlockProducer;
  readonly sealer: Sealer;
  readonly unsubscribe: () => void;
}

/** Seals blocks according to its mode, from `start` to `stop`, and on request. */
export class SealingService {
  readonly #parts: SealingParts;
  readonly #stopped = new AbortController();
  #mode: SealingMode;
  #isStarted = false;
  #isPaused = false;
  #startedParts: StartedParts | undefined;
  #timer: Cancel | undefined;
  /** Time of the last tick in interval mode, by `Clock.elapsed`. */
  #tickMs = 0;
  #running: Promise<void> = Promise.resolve();
  /** Settles with each running `sealNow` call. */
  readonly #sealing = new Set<Promise<void>>();
  #isBusy = false;
  #failure: unknown;
  /** Number of transactions in the last on-demand block, and of those batched so far for the next one. */
  #lastCount = 0;
  #batched = 0;
  /** Number of runs started. */
  #runs = 0;
  #waiting: { readonly run: number; readonly resolve: (isMore: boolean) => void }[] = [];
  /** Whether a transaction became executable after the current block started. */
  #isWanted = false;

  constructor(parts: SealingParts, mode: SealingMode) {
    this.#parts = parts;
    this.#mode = mode;
  }

  get mode(): SealingMode {
    return this.#mode;
  }

  /** Whether sealing is paused. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The error of the last attempt to seal a block, if it failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Changes the sealing mode; ends a pause. */
  setMode(mode: SealingMode): void {
    this.#mode = mode;
    this.#isPaused = false;
    this.#disarm();
    if (this.#isStarted) this.#arm();
  }

  /** Starts sealing the blocks that a producer drafts. */
  start(producer: BlockProducer): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { engine, clock, logger } = this.#parts;
    const prepare: SealerParts["prepare"] = (parent, nowMs) => engine.prepare(parent, nowMs);
    const seal: SealerParts["seal"] = (block) => engine.seal(block);
    const unsubscribe = producer.onPending(() => {
      this.#isWanted = true;
      if (this.#mode.kind === "onDemand") this.#arm();
      else if (this.#isMixed) this.#bringForward();
    });
    this.#startedParts = {
      producer,
      sealer: new Sealer({ producer, prepare, seal, clock, logger }),
      unsubscribe,
    };
    this.#tickMs = this.#parts.runtime.clock.elapsed();
    this.#arm();
  }

  /** Stops after the current block, ending `sealNow` as well; resolves once that block is on disk. May be called twice. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#startedParts?.unsubscribe();
    this.#disarm();
    this.#stopped.abort();
    await this.#running;
    await Promise.all(this.#sealing);
    await this.#startedParts?.producer.published();
  }

  /**
   * Resolves once the on-demand block for the current pool is sealed or abandoned. Transactions that arrive before the block starts share it.
   * @param isDone - whether the caller's transactions are in a block; if not, and while there is more to seal, further blocks are awaited
   * @returns undefined if no such block is due; rejects with ChainError `CLOSED` when the block could not be written to disk
   */
  settled(isDone: () => boolean = () => true): Promise<void> | undefined {
    return this.#isBlockDue ? this.#onceSettled(isDone) : undefined;
  }

  async #onceSettled(isDone: () => boolean): Promise<void> {
    for (let isMore = true; isMore; ) {
      if (!this.#isBlockDue) return;
      const run = this.#isRunDue ? this.#runs + 1 : this.#runs;
      const wasMore = await new Promise<boolean>((resolve) => this.#waiting.push({ run, resolve }));
      isMore = wasMore && !isDone();
    }
    this.#startedParts?.producer.checkWritable();
  }

  /** Whether blocks are sealed both by interval and on demand. */
  get #isMixed(): boolean {
    return this.#mode.kind === "interval" && this.#mode.onDemand === true;
  }

  /** Whether a block on demand is being sealed, or will be. */
  get #isBlockDue(): boolean {
    return (this.#mode.kind === "onDemand" || this.#isMixed) && (this.#isBusy || this.#isRunDue);
  }

  /** Whether an on-demand run is due after the current one; interval ticks do not count. */
  get #isRunDue(): boolean {
    const isScheduled = this.#timer !== undefined && !(this.#isMixed && !this.#isWanted);
    return isScheduled || (this.#isBusy && this.#isWanted);
  }

  /** Pauses sealing until `resume`, except by `sealNow`; resolves once the current block is on disk. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    this.#disarm();
    await this.#running;
    await this.#startedParts?.producer.published();
  }

  /** Resumes sealing in the current mode. */
  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** Checks for transactions to seal, after something other than the pool has changed which ones are executable. */
  wake(): void {
    // In mixed mode they go into the next block of the interval.
    this.#isWanted ||= !this.#isMixed;
    this.#arm();
  }

  /**
   * Seals blocks now, whatever the mode; the first one takes the executable transactions.
   * @param spacingSeconds - time between the blocks; by default the clock's
   * @returns the last block, which is on disk
   * @throws SealingError `STOPPED` before `start`, and when `stop` interrupts it; the blocks sealed so far remain
   */
  sealNow(count = 1, spacingSeconds?: number): Promise<ExecutedBlock | undefined> {
    const sealed = this.#sealCount(count, spacingSeconds);
    const ended = sealed.then(
      () => void this.#sealing.delete(ended),
      () => void this.#sealing.delete(ended),
    );
    this.#sealing.add(ended);
    return sealed;
  }

  async #sealCount(count: number, spacingSeconds: number | undefined): Promise<ExecutedBlock | undefined> {
    const { runtime, clock } = this.#parts;
    const { producer, sealer } = this.#started();
    let last: ExecutedBlock | undefined;
    let turn = runtime.clock.elapsed();
    for (let i = 0; i < count; i++) {
      if (i > 0 && spacingSeconds !== undefined) {
        const { header } = producer.tip;
        clock.setNext(header.time + BigInt(spacingSeconds), header);
      }
      last = await sealer.seal(true, this.#stopped.signal).catch((error) => {
        if (!this.#stopped.signal.aborted) throw error;
        throw new SealingError("STOPPED", `the node is stopping: ${i} of ${count} blocks were sealed`);
      });
      this.#failure = undefined;
      // The pool drops included transactions once the block is public; empty blocks need not wait for that.
      await producer.published(last?.block.transactions.length === 0 ? MAX_BACKLOG : 0);
      if (runtime.clock.elapsed() - turn < TURN_MS) continue;
      await new Promise<void>((resolve) => runtime.timers.schedule(0, resolve));
      turn = runtime.clock.elapsed();
    }
    await producer.published();
    return last;
  }

  #started(): StartedParts {
    if (this.#startedParts === undefined)
      throw new SealingError("STOPPED", "the node does not seal blocks yet");
    return this.#startedParts;
  }

  /** Brings the next interval block forward; the one after it follows a full interval later. */
  #bringForward(): void {
    if (this.#isBusy) return;
    this.#timer?.();
    this.#timer = undefined;
    this.#tickMs = this.#parts.runtime.clock.elapsed() - this.#intervalMs;
    this.#arm();
  }

  get #intervalMs(): number {
    return this.#mode.kind === "interval" ? this.#mode.intervalMs : 0;
  }

  /** Schedules the next run unless one is scheduled or in progress. */
  #arm(delayMs?: number): void {
    if (this.#timer !== undefined || this.#isBusy || !this.#isStarted) return;
    if (this.#isPaused || this.#mode.kind === "manual") return;
    this.#timer = this.#parts.runtime.timers.schedule(delayMs ?? this.#delayMs(this.#mode), () => {
      this.#timer = undefined;
      if (this.#isBatching()) this.#arm(BATCHING_MS);
      else this.#running = this.#run();
    });
  }

  /**
   * Whether to delay the next block briefly: several senders shared the last one, got their responses together and are now sending again.
   * A single sender is never delayed.
   */
  #isBatching(): boolean {
    if (this.#mode.kind !== "onDemand") return false;
    const pending = this.#started().producer.pendingCount;
    const isBatching = pending > this.#batched && pending < this.#lastCount;
    this.#batched = isBatching ? pending : 0;
    return isBatching;
  }

  #delayMs(mode: SealingMode): number {
    if (mode.kind !== "interval") return 0;
    const now = this.#parts.runtime.clock.elapsed();
    // A node that fell behind does not make up for missed blocks.
    this.#tickMs = Math.max(this.#tickMs + mode.intervalMs, now);
    return this.#tickMs - now;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    this.#isWanted = false;
    this.#runs++;
    const outcome = await this.#sealOne().finally(() => {
      this.#isBusy = false;
    });
    const isMore = outcome === "more";
    this.#isWanted ||= isMore;
    if (this.#isMixed && this.#isWanted) this.#bringForward();
    else if (outcome === "failed" && this.#mode.kind === "onDemand") this.#arm(RETRY_MS);
    else if (this.#isWanted || this.#mode.kind === "interval") this.#arm();
    this.#release(this.#runs, isMore);
  }

  /** Resolves the waiters for this run or an earlier one. */
  #release(run: number, isMore: boolean): void {
    const released = this.#waiting.filter((waiting) => waiting.run <= run);
    this.#waiting = this.#waiting.filter((waiting) => waiting.run > run);
    for (const { resolve } of released) resolve(isMore);
  }

  /** Cancels a scheduled run and resolves its waiters. */
  #disarm(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#release(this.#runs + 1, false);
  }

  /** @returns whether there is more to seal at once */
  async #sealOne(): Promise<"done" | "more" | "failed"> {
    const { producer, sealer } = this.#started();
    // Already reported by the disk watch.
    if (!producer.isWritable) return "failed";
    try {
      const sealed = await sealer.seal(this.#mode.kind === "interval", this.#stopped.signal);
      await producer.published();
      this.#failure = undefined;
      this.#lastCount = sealed?.block.transactions.length ?? 0;
      return sealed !== undefined && producer.pendingCount > 0 ? "more" : "done";
    } catch (error) {
      if (this.#stopped.signal.aborted) return "failed";
      this.#failure = error;
      // The disk or the change log have logged the cause themselves: no stack.
      if (error instanceof ChainError && error.code === "CLOSED")
        this.#parts.logger.warn("no block was sealed", { reason: error.message });
      else this.#parts.logger.error("sealing failed", { error });
      return "failed";
    }
  }
}
