import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { PreviewedBlock } from "../../../ledger/chain/execute/block-processor.ts";
import type { BlockPreview, PendingBlocks } from "../../../ledger/chain/execute/pending.ts";
import { StateError } from "../../../ledger/state/errors.ts";
import {
  MissingState,
  retryUntilLoaded,
  retryUntilLoadedAsync,
} from "../../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Block } from "../../../protocol/block/block.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ConsensusEngine } from "../engine.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import type { ChainClock } from "./chain-clock.ts";
import { type Begun, isSame, keep, type Sight } from "./sight.ts";

/** Dependencies of the previews. */
export interface PreviewParts {
  readonly chain: Blockchain;
  readonly pool: Pick<TransactionPool, "version">;
  readonly producer: BlockProducer;
  readonly engine: Pick<ConsensusEngine, "prepare">;
  readonly clock: ChainClock;
  readonly settings: Readonly<ProposerSettings>;
  /** Address of the validator that seals. */
  readonly author: Address;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
}

/** A preview being built. */
interface Making {
  readonly seen: readonly unknown[];
  /** Undefined if part of the state had to be fetched first: the preview has to be built again. */
  readonly made: Promise<Sight | undefined>;
}

/** How often a pending block is rebuilt when the state under it is edited meanwhile. */
const MOST_ATTEMPTS = 4;
/** A preview may be reused by frequent callers for this many times its cost. */
const RECENT = 10;
/** The same for all callers outside development chains. */
const RECENT_IN_PUBLIC = 4;

/** How previews are built and shown. */
export interface PreviewOptions {
  /** Further settings of the next block; a new value with each change. */
  readonly asked?: () => unknown;
  /** Whether receipts are shown and calls see the proposer; the reference node v2.2.1 does neither. */
  readonly isOpen?: boolean;
}

/**
 * The next block as it would be drafted now. It is built on demand, and kept until the head, the pool, the settings or the
 * clock's second change.
 */
export class BlockPreviews implements PendingBlocks {
  readonly showsReceipts: boolean;
  readonly #parts: PreviewParts;
  readonly #asked: () => unknown;
  #heads = 0;
  /** Counts changes to existing states: edits, and removed blocks. */
  #edits = 0;
  #sight: Sight | undefined;
  /** The build in progress, and whether another follows for callers that arrived meanwhile. */
  #making: Making | undefined;
  #following: Promise<Sight | undefined> | undefined;
  /** A finished build serves the callers that waited for it, whatever has happened meanwhile. */
  #awaited: { readonly sight: Sight; readonly seen: readonly unknown[] } | undefined;

  constructor(parts: PreviewParts, { asked = () => undefined, isOpen = false }: PreviewOptions = {}) {
    this.#parts = parts;
    this.#asked = asked;
    this.showsReceipts = isOpen;
    // The state of a development chain may change under the same head.
    parts.chain.onHead(({ added, removed }) => {
      this.#heads++;
      if (removed.length > 0 || added.length === 0) this.#edits++;
    });
  }

  preview(): BlockPreview {
    return this.#look(this.showsReceipts ? 0 : RECENT_IN_PUBLIC).preview;
  }

  recent(): BlockPreview | undefined {
    return this.#parts.producer.waiting === 0 ? undefined : this.#look(RECENT).preview;
  }

  /**
   * Takes no lock: a caller that waited for a preview gets that one, wherever the tip has moved meanwhile.
   * @throws StateError `STATE_STALE` if the state kept being edited while it was built
   */
  block(): ExecutedBlock | Promise<ExecutedBlock> {
    const block = retryUntilLoaded(() => {
      const sight = this.#find(this.#seen(), 0);
      return sight && this.#completed(sight);
    });
    return block === undefined || block instanceof Promise ? this.#blockLater(block) : block;
  }

  /** Starts over only where the state under the block was changed. */
  async #blockLater(first?: Promise<ExecutedBlock | undefined>): Promise<ExecutedBlock> {
    let block = await first;
    for (let attempt = 0; block === undefined; attempt++) {
      if (attempt === MOST_ATTEMPTS)
        throw new StateError("STATE_STALE", "the state was edited while the pending block was built");
      block = await retryUntilLoadedAsync(async () => this.#completed(await this.#sightLater()));
    }
    return block;
  }

  /** A preview that was started no earlier than this call. */
  async #sightLater(): Promise<Sight> {
    for (;;) {
      const seen = this.#seen();
      const sight = this.#find(seen, 0) ?? (await this.#untilMade(seen));
      if (sight !== undefined) return sight;
    }
  }

  /** The block of a preview with its roots. @returns undefined if the state under it has been changed meanwhile */
  #completed(sight: Sight): ExecutedBlock | Promise<ExecutedBlock | undefined> {
    if (sight.block !== undefined) return sight.block;
    if (sight.completing !== undefined) return sight.completing;
    const { chain, producer } = this.#parts;
    const isOnTip = equalBytes(sight.preview.header.parentHash, chain.tip.hash);
    const made = isOnTip && !this.#isStale(sight) ? producer.complete(sight.previewed) : this.#onPast(sight);
    if (!(made instanceof Promise)) return keep(sight, made);
    sight.completing = made
      .catch((error: unknown) => {
        if (!(error instanceof StateError && error.code === "STATE_STALE")) throw error;
        return this.#onPast(sight);
      })
      .then((block) => block && keep(sight, block))
      .finally(() => {
        sight.completing = undefined;
      });
    return sight.completing;
  }

  /** The roots if the tip has moved. */
  async #onPast(sight: Sight): Promise<Block | undefined> {
    if (this.#isStale(sight)) return undefined;
    const block = await this.#parts.producer.completeOnPast(sight.previewed);
    return this.#isStale(sight) ? undefined : block;
  }

  /** Whether an existing state has changed since the preview was begun: it may be the one it is built on. */
  #isStale(sight: Sight): boolean {
    return sight.edits !== this.#edits;
  }

  /** Serves the callers that have waited, whatever has happened meanwhile. */
  #serveNow(sight: Sight): void {
    const awaited = { sight, seen: this.#seen() };
    this.#awaited = awaited;
    this.#parts.runtime.timers.schedule(0, () => {
      if (this.#awaited === awaited) this.#awaited = undefined;
    });
  }

  /**
   * @param patience - a preview of the same head may be reused for this many times its cost, whatever has entered the pool since
   * @throws MissingState while it is built in turns with other work
   */
  #look(patience: number): Sight {
    const seen = this.#seen();
    const isServed = this.#isServed(seen, patience);
    if (!isServed && this.#awaited && isSame(seen, this.#awaited.seen)) return this.#awaited.sight;
    const sight = this.#find(seen, patience);
    if (sight !== undefined) return sight;
    throw new MissingState("the pending block", async () => {
      await this.#untilMade(seen);
    });
  }

  /** A usable preview; undefined while one is being built. @throws MissingState for the state of a forked chain */
  #find(seen: readonly unknown[], patience: number): Sight | undefined {
    if (this.#isServed(seen, patience)) return this.#sight;
    if (this.#making === undefined) {
      const built = this.#build(seen);
      if (!(built instanceof Promise)) {
        this.#sight = built;
        return built;
      }
      this.#await(seen, built);
    }
    return undefined;
  }

  #await(seen: readonly unknown[], built: Promise<Sight>): Promise<Sight | undefined> {
    const made = built.then(
      (sight) => {
        this.#making = undefined;
        this.#sight = sight;
        this.#serveNow(sight);
        return sight;
      },
      async (error: unknown) => {
        this.#making = undefined;
        if (!(error instanceof MissingState)) throw error;
        await error.load();
        return undefined;
      },
    );
    made.catch(() => {}); // reported to the waiting callers, if any
    this.#making = { seen, made };
    return made;
  }

  /** Resolves when a preview is ready that was started no earlier than this call. */
  async #untilMade(seen: readonly unknown[]): Promise<Sight | undefined> {
    const making = this.#making;
    if (making === undefined) return undefined;
    if (isSame(seen, making.seen)) return making.made;
    this.#following ??= making.made
      .catch(() => {})
      .then(() => {
        this.#following = undefined;
        const now = this.#seen();
        const built = this.#build(now);
        if (built instanceof Promise) return this.#await(now, built);
        this.#sight = built;
        return built;
      });
    return this.#following;
  }

  /** Whether the last preview is still usable. */
  #isServed(seen: readonly unknown[], patience: number): boolean {
    if (this.#sight === undefined) return false;
    const { seen: then, madeMs, costMs } = this.#sight;
    if (isSame(seen, then)) return true;
    const isSameHead = seen[0] === then[0] && seen[1] === then[1];
    return isSameHead && this.#parts.runtime.clock.elapsed() - madeMs < patience * costMs;
  }

  /** What a preview depends on, the head first. */
  #seen(): readonly unknown[] {
    const { chain, pool, settings } = this.#parts;
    const { rewardbase, vanity, lowestGasPrice } = settings;
    const second = Math.floor(this.#nextMs() / 1000);
    const time = Math.max(second, Number(chain.tip.header.time) + 1);
    return [chain.tip, this.#heads, pool.version, time, rewardbase, vanity, lowestGasPrice, this.#asked()];
  }

  #nextMs(): number {
    return this.#parts.clock.peekNext(this.#parts.chain.tip.header);
  }

  #build(seen: readonly unknown[]): Sight | Promise<Sight> {
    const { chain, engine, producer, runtime } = this.#parts;
    const begun = { ms: runtime.clock.elapsed(), edits: this.#edits };
    const header = engine.prepare(chain.tip.header, this.#nextMs());
    const previewed = producer.preview(header);
    if (previewed instanceof Promise) return this.#sightBeside(seen, begun, previewed);
    return this.#sightOf(seen, begun, previewed);
  }

  /** Restarted if the state under it changed meanwhile. */
  async #sightBeside(
    seen: readonly unknown[],
    begun: Begun,
    previewed: Promise<PreviewedBlock>,
  ): Promise<Sight> {
    const isStale = () => begun.edits !== this.#edits;
    const made = await previewed.catch((error: unknown) => {
      if (!isStale()) throw error;
      return undefined;
    });
    if (made === undefined || isStale()) return this.#build(this.#seen());
    return this.#sightOf(seen, begun, made);
  }

  #sightOf(seen: readonly unknown[], begun: Begun, previewed: PreviewedBlock): Sight {
    const { author, runtime } = this.#parts;
    const { built, state, changes } = previewed;
    const { transactions, receipts } = built;
    return {
      ...{ seen, previewed, block: undefined, completing: undefined, edits: begun.edits },
      madeMs: runtime.clock.elapsed(),
      costMs: runtime.clock.elapsed() - begun.ms,
      preview: {
        ...{ header: previewed.header, transactions, receipts, state, changes },
        ...(this.showsReceipts && { author }),
      },
    };
  }
}
