import { BlockPublisher, type PublisherParts } from "./block-publisher.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { StreamError } from "./errors.ts";
import type { GroupSource } from "./groups/group-source.ts";
import { Lookahead, type LookaheadLimits } from "./groups/lookahead.ts";
import type { GroupKind } from "./topics.ts";

/** The components of a stream. */
export interface EventStreamParts extends PublisherParts {
  readonly source: GroupSource;
  readonly checkpoint: Checkpoint;
  readonly limits: LookaheadLimits;
}

/** Something that runs until it is stopped. */
interface Run {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly ahead: Lookahead;
}

/** A block in flight. */
interface Step {
  readonly number: bigint;
  /** Aborted when the block was removed from the chain, or when its run stops. */
  readonly left: AbortController;
}

const ALL: readonly GroupKind[] = ["block", "trace"];

/**
 * Publishes the blocks of a chain in order, each at least once, from a checkpoint on. It reads the chain when it has time
 * and holds up nothing else: with a slow broker it falls behind, and catches up later. When the chain is rewound, the
 * replacement blocks are published under the same keys.
 */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #publisher: BlockPublisher;
  #next = 0n;
  /** Aborted when the block in flight was removed from the chain, or when following stops. */
  #step = new AbortController();
  #following: Run | undefined;
  #range: (Run & { left: bigint; step?: Step }) | undefined;
  #wake = (): void => {};
  readonly #leave: () => void;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#publisher = new BlockPublisher(parts);
    const { source, checkpoint, meters } = parts;
    this.#next = checkpoint.resume((number) => source.hash(number), source.head());
    this.#leave = source.onHead((changedFrom) => {
      if (changedFrom !== undefined) this.#rewind(changedFrom);
      this.#wake();
    });
    meters.watch({
      checkpoint: () => this.#next,
      lag: () => max(source.head() - this.#next + 1n, 0n),
      rangeLeft: () => this.#range?.left ?? 0n,
      bytes: () => (this.#following?.ahead.bytes ?? 0) + (this.#range?.ahead.bytes ?? 0),
    });
  }

  /** Number of the next block to publish. */
  get next(): bigint {
    return this.#next;
  }

  get status(): { readonly fetching: boolean; readonly rangeFetching: boolean } {
    return { fetching: this.#following !== undefined, rangeFetching: this.#range !== undefined };
  }

  /** Publishes from the checkpoint on, and then each new block. @throws StreamError `STATE` */
  startFetching(): void {
    if (this.#following !== undefined) throw new StreamError("STATE", "fetching is already started");
    const { logger, source } = this.#parts;
    logger.info("the event stream has started", { next: this.#next, head: source.head() });
    const run = this.#run(
      ALL,
      (ahead, signal) => this.#follow(ahead, signal),
      () => {
        if (this.#following === run) this.#following = undefined;
      },
    );
    this.#following = run;
  }

  /** Resolves once it has stopped; the checkpoint covers everything the broker has acknowledged. @throws StreamError `STATE` */
  async stopFetching(): Promise<void> {
    const run = this.#following;
    if (run === undefined) throw new StreamError("STATE", "fetching is not running");
    await this.#end(run);
    this.#following = undefined;
    await this.#parts.checkpoint.flush();
  }

  /** Publishes a range of blocks again, both ends included; the checkpoint is unchanged. @throws StreamError `STATE` */
  startRangeFetching(start: bigint, end: bigint, kinds: readonly GroupKind[]): void {
    if (this.#range !== undefined) throw new StreamError("STATE", "range fetching is already started");
    const head = this.#parts.source.head();
    if (start > end || end > head)
      throw new StreamError(
        "STATE",
        `no range of blocks from ${start} to ${end}: the newest block is ${head}`,
      );
    const from = max(start, 1n);
    const run = this.#run(
      kinds,
      (ahead, signal) => this.#republish(from, end, ahead, signal),
      () => {
        if (this.#range?.stop === run.stop) this.#range = undefined;
      },
    );
    this.#range = { ...run, left: max(end - from + 1n, 0n) };
  }

  /** @throws StreamError `STATE` */
  async stopRangeFetching(): Promise<void> {
    const run = this.#range;
    if (run === undefined) throw new StreamError("STATE", "range fetching is not running");
    await this.#end(run);
    this.#range = undefined;
  }

  /** Sets the block to continue from. @throws StreamError `STATE` while fetching runs */
  async writeCheckpoint(next: bigint): Promise<void> {
    if (this.#following !== undefined)
      throw new StreamError("STATE", "call stopFetching before writing checkpoint manually");
    this.#next = max(next, 1n);
    this.#parts.checkpoint.set({ next: this.#next });
    await this.#parts.checkpoint.flush();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    this.#leave();
    for (const run of [this.#following, this.#range]) if (run !== undefined) await this.#end(run);
    await this.#parts.checkpoint.flush();
    await this.#publisher.close();
  }

  #run(
    kinds: readonly GroupKind[],
    work: (ahead: Lookahead, signal: AbortSignal) => Promise<void>,
    onEnd: () => void,
  ): Run {
    const { source, topics, limits, logger } = this.#parts;
    const stop = new AbortController();
    const ahead = new Lookahead(source, kinds, topics, limits);
    const ended = work(ahead, stop.signal)
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        logger.error("the event stream is paused: see its guide", { error });
      })
      .finally(onEnd);
    return { stop, ended, ahead };
  }

  async #follow(ahead: Lookahead, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#step = new AbortController();
      const step = this.#step.signal;
      try {
        if (this.#next > this.#parts.source.head()) await this.#newHead(step);
        else await this.#publishNext(ahead, step);
      } catch (error) {
        if (!step.aborted) throw error;
      }
    }
  }

  async #publishNext(ahead: Lookahead, step: AbortSignal): Promise<void> {
    const { source, checkpoint } = this.#parts;
    const number = this.#next;
    const block = await this.#publisher.prepare(number, source.head(), ahead, step);
    const last = source.hash(number);
    await this.#publisher.publish(block, step);
    if (step.aborted) return;
    this.#next = number + 1n;
    checkpoint.set({ next: this.#next, last });
  }

  async #republish(from: bigint, to: bigint, ahead: Lookahead, signal: AbortSignal): Promise<void> {
    await Promise.resolve(); // after the range is set
    for (let number = from; number <= to; ) {
      signal.throwIfAborted();
      if (number > this.#parts.source.head()) return;
      const left = new AbortController();
      if (this.#range !== undefined) this.#range.step = { number, left };
      try {
        const block = await this.#publisher.prepare(number, to, ahead, left.signal);
        await this.#publisher.publish(block, left.signal);
      } catch (error) {
        if (!left.signal.aborted) throw error;
        continue; // with what the chain has there now
      }
      number++;
      if (this.#range !== undefined) this.#range.left = to - number + 1n;
    }
  }

  #end(run: Run): Promise<void> {
    const reason = new StreamError("STATE", "the event stream was stopped");
    run.stop.abort(reason);
    if (run === this.#following) this.#step.abort(reason);
    if (run === this.#range) this.#range.step?.left.abort(reason);
    return run.ended;
  }

  #newHead(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      this.#wake = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
    });
  }

  #rewind(changedFrom: bigint): void {
    this.#following?.ahead.dropFrom(changedFrom);
    this.#range?.ahead.dropFrom(changedFrom);
    const reason = new StreamError("STATE", "the block was removed from the chain");
    const { step } = this.#range ?? {};
    if (step !== undefined && changedFrom <= step.number) step.left.abort(reason);
    if (changedFrom > this.#next) return;
    this.#step.abort(reason);
    this.#next = max(changedFrom, 1n);
    const { checkpoint, source } = this.#parts;
    if (checkpoint.current !== undefined)
      checkpoint.set({ next: this.#next, last: source.hash(this.#next - 1n) });
  }
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
