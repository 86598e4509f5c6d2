import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { PreviewedBlock } from "../../../ledger/chain/execute/block-processor.ts";
import type { BlockPreview, PendingBlocks } from "../../../ledger/chain/execute/pending.ts";
import { StateError } from "../../../ledger/state/errors.ts";
import {
  MissingState,
  retryUntilLoaded,
  retryUntilLoadedAsync,
} from "../../../ledger/state/missing-state.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { type BuildStart, type CachedPreview, sameInputs, storeBlock } from "./cached-preview.ts";
import type { PreviewOptions, PreviewParts } from "./preview-parts.ts";

/** A build in progress. */
interface RunningBuild {
  readonly inputs: readonly unknown[];
  /** Undefined if missing state had to be fetched first: the preview must be built again. */
  readonly made: Promise<CachedPreview | undefined>;
}

/** How often a pending block is rebuilt if the state under it is edited meanwhile. */
const MAX_ATTEMPTS = 4;
/** Frequent callers may reuse a preview for this many times its build time. */
const REUSE_FACTOR = 10;
/** The same for all callers, outside development chains. */
const PUBLIC_REUSE_FACTOR = 4;

/**
 * The next block as it would be drafted now. It is built on demand, and cached until the head, the pool, the settings or the
 * clock's second change.
 */
export class BlockPreviews implements PendingBlocks {
  readonly showsReceipts: boolean;
  readonly #parts: PreviewParts;
  readonly #extraInputs: () => unknown;
  #heads = 0;
  #cached: CachedPreview | undefined;
  /** The build in progress, and the next one, for callers that arrived after it started. */
  #running: RunningBuild | undefined;
  #nextBuild: Promise<CachedPreview | undefined> | undefined;
  /** The build that has just finished, for the callers that waited for it, even if its inputs have changed meanwhile. */
  #justBuilt: { readonly cached: CachedPreview; readonly inputs: readonly unknown[] } | undefined;

  constructor(parts: PreviewParts, { extraInputs = () => undefined, isOpen = false }: PreviewOptions = {}) {
    this.#parts = parts;
    this.#extraInputs = extraInputs;
    this.showsReceipts = isOpen;
    // The state of a development chain may change under the same head.
    parts.chain.onHead(() => {
      this.#heads++;
    });
  }

  preview(): BlockPreview {
    return this.#current(this.showsReceipts ? 0 : PUBLIC_REUSE_FACTOR).preview;
  }

  recent(): BlockPreview | undefined {
    return this.#parts.producer.pendingCount === 0 ? undefined : this.#current(REUSE_FACTOR).preview;
  }

  /**
   * Takes no lock: a caller that waited for a preview gets that one, even if the tip has moved meanwhile.
   * @throws StateError `STATE_STALE` if the state kept being edited while it was built
   */
  block(): ExecutedBlock | Promise<ExecutedBlock> {
    const block = retryUntilLoaded(() => {
      const cached = this.#findOrBuild(this.#inputs(), 0);
      return cached && this.#complete(cached);
    });
    return block === undefined || block instanceof Promise ? this.#blockLater(block) : block;
  }

  /** Starts over only if the state under the block was changed. */
  async #blockLater(first?: Promise<ExecutedBlock | undefined>): Promise<ExecutedBlock> {
    let block = await first;
    for (let attempt = 0; block === undefined; attempt++) {
      if (attempt === MAX_ATTEMPTS)
        throw new StateError("STATE_STALE", "the state was edited while the pending block was built");
      block = await retryUntilLoadedAsync(async () => this.#complete(await this.#freshPreview()));
    }
    return block;
  }

  /** A preview whose build started no earlier than this call. */
  async #freshPreview(): Promise<CachedPreview> {
    for (;;) {
      const inputs = this.#inputs();
      const cached = this.#findOrBuild(inputs, 0) ?? (await this.#nextResult(inputs));
      if (cached !== undefined) return cached;
    }
  }

  /** The block of a preview, with its roots. @returns undefined if the state under it has changed meanwhile */
  #complete(cached: CachedPreview): ExecutedBlock | Promise<ExecutedBlock | undefined> {
    if (cached.block !== undefined) return cached.block;
    if (cached.completing !== undefined) return cached.completing;
    const { chain, producer } = this.#parts;
    const isOnTip = equalBytes(cached.preview.header.parentHash, chain.tip.hash);
    const made =
      isOnTip && !this.#isStale(cached) ? producer.complete(cached.previewed) : this.#completeOnPast(cached);
    if (!(made instanceof Promise)) return storeBlock(cached, made);
    cached.completing = made
      .catch((error: unknown) => {
        if (!(error instanceof StateError && error.code === "STATE_STALE")) throw error;
        return this.#completeOnPast(cached);
      })
      .then((block) => block && storeBlock(cached, block))
      .finally(() => {
        cached.completing = undefined;
      });
    return cached.completing;
  }

  /** The same after the tip has moved. */
  async #completeOnPast(cached: CachedPreview): Promise<Block | undefined> {
    if (this.#isStale(cached)) return undefined;
    const block = await this.#parts.producer.completeOnPast(cached.previewed);
    return this.#isStale(cached) ? undefined : block;
  }

  /** Whether an existing state has changed since the build started: it may be the one under the preview. */
  #isStale(cached: CachedPreview): boolean {
    return cached.edits !== this.#parts.chain.rewrites;
  }

  /** Serves the callers that waited for a build, in this turn of the event loop. */
  #serveWaiting(cached: CachedPreview): void {
    const justBuilt = { cached, inputs: this.#inputs() };
    this.#justBuilt = justBuilt;
    this.#parts.runtime.timers.schedule(0, () => {
      if (this.#justBuilt === justBuilt) this.#justBuilt = undefined;
    });
  }

  /**
   * @param patience - a preview of the same head may be reused for this many times its build time, whatever has entered the pool since
   * @throws MissingState while it is being built
   */
  #current(patience: number): CachedPreview {
    const inputs = this.#inputs();
    const isServed = this.#isUsable(inputs, patience);
    if (!isServed && this.#justBuilt && sameInputs(inputs, this.#justBuilt.inputs))
      return this.#justBuilt.cached;
    const cached = this.#findOrBuild(inputs, patience);
    if (cached !== undefined) return cached;
    throw new MissingState("the pending block", async () => {
      await this.#nextResult(inputs);
    });
  }

  /** A usable preview, built if necessary; undefined while a build is in progress. @throws MissingState for remote state of a forked chain */
  #findOrBuild(inputs: readonly unknown[], patience: number): CachedPreview | undefined {
    if (this.#isUsable(inputs, patience)) return this.#cached;
    if (this.#running === undefined) {
      const built = this.#startBuild(inputs);
      if (!(built instanceof Promise)) {
        this.#cached = built;
        return built;
      }
      this.#track(inputs, built);
    }
    return undefined;
  }

  #track(inputs: readonly unknown[], built: Promise<CachedPreview>): Promise<CachedPreview | undefined> {
    const made = built.then(
      (cached) => {
        this.#running = undefined;
        this.#cached = cached;
        this.#serveWaiting(cached);
        return cached;
      },
      async (error: unknown) => {
        this.#running = undefined;
        if (!(error instanceof MissingState)) throw error;
        await error.load();
        return undefined;
      },
    );
    made.catch(() => {}); // reported to waiting callers, if any
    this.#running = { inputs, made };
    return made;
  }

  /** Resolves once a build that started no earlier than this call is finished. */
  async #nextResult(inputs: readonly unknown[]): Promise<CachedPreview | undefined> {
    const running = this.#running;
    if (running === undefined) return undefined;
    if (sameInputs(inputs, running.inputs)) return running.made;
    this.#nextBuild ??= running.made
      .catch(() => {})
      .then(() => {
        this.#nextBuild = undefined;
        const now = this.#inputs();
        const built = this.#startBuild(now);
        if (built instanceof Promise) return this.#track(now, built);
        this.#cached = built;
        return built;
      });
    return this.#nextBuild;
  }

  /** Whether the cached preview is still usable. */
  #isUsable(inputs: readonly unknown[], patience: number): boolean {
    if (this.#cached === undefined || this.#isStale(this.#cached)) return false;
    const { inputs: then, madeMs, costMs } = this.#cached;
    if (sameInputs(inputs, then)) return true;
    const isSameHead = inputs[0] === then[0] && inputs[1] === then[1];
    return isSameHead && this.#parts.runtime.clock.elapsed() - madeMs < patience * costMs;
  }

  /** Everything that a preview depends on, the head first. */
  #inputs(): readonly unknown[] {
    const { chain, pool, settings } = this.#parts;
    const { rewardbase, vanity, lowestGasPrice } = settings;
    const second = Math.floor(this.#nextMs() / 1000);
    const time = Math.max(second, Number(chain.tip.header.time) + 1);
    return [
      chain.tip,
      this.#heads,
      pool.version,
      time,
      rewardbase,
      vanity,
      lowestGasPrice,
      this.#extraInputs(),
    ];
  }

  #nextMs(): number {
    return this.#parts.clock.peekNext(this.#parts.chain.tip.header);
  }

  #startBuild(inputs: readonly unknown[]): CachedPreview | Promise<CachedPreview> {
    const { chain, engine, producer, runtime } = this.#parts;
    const start = { ms: runtime.clock.elapsed(), edits: chain.rewrites };
    const header = engine.prepare(chain.tip.header, this.#nextMs());
    const previewed = producer.preview(header);
    if (previewed instanceof Promise) return this.#finishBuild(inputs, start, previewed);
    return this.#toCached(inputs, start, previewed);
  }

  /** Awaits a build, restarting it if the state under it changes meanwhile. */
  async #finishBuild(
    inputs: readonly unknown[],
    start: BuildStart,
    previewed: Promise<PreviewedBlock>,
  ): Promise<CachedPreview> {
    const isStale = () => start.edits !== this.#parts.chain.rewrites;
    const made = await previewed.catch((error: unknown) => {
      if (!isStale()) throw error;
      return undefined;
    });
    if (made === undefined || isStale()) return this.#startBuild(this.#inputs());
    return this.#toCached(inputs, start, made);
  }

  #toCached(inputs: readonly unknown[], start: BuildStart, previewed: PreviewedBlock): CachedPreview {
    const { author, runtime } = this.#parts;
    const { built, state, changes } = previewed;
    const { transactions, receipts } = built;
    return {
      ...{ inputs, previewed, block: undefined, completing: undefined, edits: start.edits },
      madeMs: runtime.clock.elapsed(),
      costMs: runtime.clock.elapsed() - start.ms,
      preview: {
        ...{ header: previewed.header, transactions, receipts, state, changes },
        ...(this.showsReceipts && { author }),
      },
    };
  }
}
