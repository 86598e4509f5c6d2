import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ChainClock } from "./chain-clock.ts";
import { SealingError } from "./errors.ts";
import { Sealer, type SealerParts } from "./sealer.ts";
import type { SealingMode } from "./sealing-mode.ts";

/** Blocks of one `sealNow` call that may wait for the disk. */
const MAX_BACKLOG = 64;
/** A block that failed, such as for want of the state of a forked chain, is tried again after so long. */
const RETRY_MS = 1000;
/** While transactions keep coming in as at the last block, the next one waits so long for more. */
const GATHERING_MS = 1;
/** After so much sealing at a stretch other tasks get a turn. */
const TURN_MS = 5;

/** What a sealing service works with. */
export interface SealingParts {
  /** Prepares headers and seals blocks. */
  readonly engine: Pick<SealerParts, "prepare" | "seal">;
  readonly clock: ChainClock;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/** What it works with once it is started. */
interface Works {
  readonly producer: BlockProducer;
  readonly sealer: Sealer;
  readonly unsubscribe: () => void;
}

/** Seals blocks by the mode it is in, from `start` to `stop`, and when told to. */
export class SealingService {
  readonly #parts: SealingParts;
  readonly #stopped = new AbortController();
  #mode: SealingMode;
  #isStarted = false;
  #isPaused = false;
  #works: Works | undefined;
  #timer: Cancel | undefined;
  /** When the last tick of interval mode was, by `Clock.elapsed`. */
  #tickMs = 0;
  #running: Promise<void> = Promise.resolve();
  /** The ends of the runs of `sealNow`. */
  readonly #sealing = new Set<Promise<void>>();
  #isBusy = false;
  #failure: unknown;
  /** Transactions of the last block on demand, and those that wait for the next one so far. */
  #lastCount = 0;
  #gathered = 0;
  /** Runs that were begun. */
  #runs = 0;
  #waiting: { readonly run: number; readonly resolve: (isMore: boolean) => void }[] = [];
  /** Whether something became executable since the running block was begun. */
  #isWanted = false;

  constructor(parts: SealingParts, mode: SealingMode) {
    this.#parts = parts;
    this.#mode = mode;
  }

  get mode(): SealingMode {
    return this.#mode;
  }

  /** Whether `pause` was the last word on when blocks are sealed. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** What the last attempt to make a block failed with, if it did. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Changes when blocks are sealed, from now on. */
  setMode(mode: SealingMode): void {
    this.#mode = mode;
    this.#isPaused = false;
    this.#disarm();
    if (this.#isStarted) this.#arm();
  }

  /** Begins to seal what a producer makes. */
  start(producer: BlockProducer): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { engine, clock, logger } = this.#parts;
    const prepare: SealerParts["prepare"] = (parent, nowMs) => engine.prepare(parent, nowMs);
    const seal: SealerParts["seal"] = (block) => engine.seal(block);
    const unsubscribe = producer.onWaiting(() => {
      this.#isWanted = true;
      if (this.#mode.kind === "onDemand") this.#arm();
      else if (this.#isMixed) this.#hurry();
    });
    this.#works = {
      producer,
      sealer: new Sealer({ producer, prepare, seal, clock, logger }),
      unsubscribe,
    };
    this.#tickMs = this.#parts.runtime.clock.elapsed();
    this.#arm();
  }

  /** Stops after the block that is being made, which also ends `sealNow`; resolves when it is on disk. Can be called twice. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#works?.unsubscribe();
    this.#disarm();
    this.#stopped.abort();
    await this.#running;
    await Promise.all(this.#sealing);
    await this.#works?.producer.published();
  }

  /**
   * Resolves when the block on demand that what is in the pool now has asked for was made, or could not be; at once when
   * none is under way. Who waits shares that block with whatever else comes in before it is begun.
   * @param isDone - whether what the caller waits for is in a block; else, and while there is more to seal, further ones
   * are waited for
   * @throws ChainError `CLOSED` when the disk did not take the block
   */
  async settled(isDone: () => boolean = () => true): Promise<void> {
    for (let isMore = true; isMore; ) {
      const isAhead = this.#isAhead;
      if (!(this.#mode.kind === "onDemand" || this.#isMixed) || (!isAhead && !this.#isBusy)) return;
      const run = isAhead ? this.#runs + 1 : this.#runs;
      const wasMore = await new Promise<boolean>((resolve) => this.#waiting.push({ run, resolve }));
      isMore = wasMore && !isDone();
    }
    this.#works?.producer.checkWritable();
  }

  /** Whether blocks are made by the interval and on demand. */
  get #isMixed(): boolean {
    return this.#mode.kind === "interval" && this.#mode.onDemand === true;
  }

  /** Whether a run on demand follows what is under way now; that of an interval alone does not count. */
  get #isAhead(): boolean {
    const isScheduled = this.#timer !== undefined && !(this.#isMixed && !this.#isWanted);
    return isScheduled || (this.#isBusy && this.#isWanted);
  }

  /** Seals no more blocks until `resume`, unless told to; resolves when the one that is being made is on disk. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    this.#disarm();
    await this.#running;
    await this.#works?.producer.published();
  }

  /** Goes on by the mode it is in. */
  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** Looks anew for transactions to seal, after something but the pool has changed which ones can be taken. */
  wake(): void {
    // Beside an interval it comes with the next block of that.
    this.#isWanted ||= !this.#isMixed;
    this.#arm();
  }

  /**
   * Seals blocks now, whatever the mode: the first with the transactions that wait.
   * @param spacingSeconds - time between the blocks; by default what the clock says
   * @returns the last block, which is on disk
   * @throws SealingError `STOPPED` before `start`, and when `stop` ends it; the blocks so far stay
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
        throw new SealingError("STOPPED", `the node is stopping: ${i} of ${count} blocks were made`);
      });
      this.#failure = undefined;
      // The pool drops what was included when the block is public; empty blocks need not wait for that.
      await producer.published(last?.block.transactions.length === 0 ? MAX_BACKLOG : 0);
      if (runtime.clock.elapsed() - turn < TURN_MS) continue;
      await new Promise<void>((resolve) => runtime.timers.schedule(0, resolve));
      turn = runtime.clock.elapsed();
    }
    await producer.published();
    return last;
  }

  #started(): Works {
    if (this.#works === undefined) throw new SealingError("STOPPED", "the node does not make blocks yet");
    return this.#works;
  }

  /** Brings the next block of an interval forward; the one after it comes an interval later. */
  #hurry(): void {
    if (this.#isBusy) return;
    this.#timer?.();
    this.#timer = undefined;
    this.#tickMs = this.#parts.runtime.clock.elapsed() - this.#intervalMs;
    this.#arm();
  }

  get #intervalMs(): number {
    return this.#mode.kind === "interval" ? this.#mode.intervalMs : 0;
  }

  /** Schedules the next run, unless one is scheduled or running. */
  #arm(delayMs?: number): void {
    if (this.#timer !== undefined || this.#isBusy || !this.#isStarted) return;
    if (this.#isPaused || this.#mode.kind === "manual") return;
    this.#timer = this.#parts.runtime.timers.schedule(delayMs ?? this.#delayMs(this.#mode), () => {
      this.#timer = undefined;
      if (this.#isGathering()) this.#arm(GATHERING_MS);
      else this.#running = this.#run();
    });
  }

  /**
   * Whether the next block waits a little: many shared the last one, were answered at once, and are sending again. A single
   * sender never waits.
   */
  #isGathering(): boolean {
    if (this.#mode.kind !== "onDemand") return false;
    const pending = this.#started().producer.waiting;
    const isGathering = pending > this.#gathered && pending < this.#lastCount;
    this.#gathered = isGathering ? pending : 0;
    return isGathering;
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
    if (this.#isMixed && this.#isWanted) this.#hurry();
    else if (outcome === "failed" && this.#mode.kind === "onDemand") this.#arm(RETRY_MS);
    else if (this.#isWanted || this.#mode.kind === "interval") this.#arm();
    this.#release(this.#runs, isMore);
  }

  /** Lets those go on who wait for a run up to this one. */
  #release(run: number, isMore: boolean): void {
    const released = this.#waiting.filter((waiting) => waiting.run <= run);
    this.#waiting = this.#waiting.filter((waiting) => waiting.run > run);
    for (const { resolve } of released) resolve(isMore);
  }

  /** Takes back a run that is scheduled; nobody waits for it then. */
  #disarm(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#release(this.#runs + 1, false);
  }

  /** @returns whether there is more to seal at once */
  async #sealOne(): Promise<"done" | "more" | "failed"> {
    const { producer, sealer } = this.#started();
    // Whoever watches the disk has said so.
    if (!producer.isWritable) return "failed";
    try {
      const sealed = await sealer.seal(this.#mode.kind === "interval", this.#stopped.signal);
      await producer.published();
      this.#failure = undefined;
      this.#lastCount = sealed?.block.transactions.length ?? 0;
      return sealed !== undefined && producer.waiting > 0 ? "more" : "done";
    } catch (error) {
      if (this.#stopped.signal.aborted) return "failed";
      this.#failure = error;
      this.#parts.logger.error("sealing failed", { error });
      return "failed";
    }
  }
}
