import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { PreviewedBlock } from "../../../ledger/chain/execute/block-processor.ts";
import type { BlockPreview, PendingBlocks } from "../../../ledger/chain/execute/pending.ts";
import { StateError } from "../../../ledger/state/errors.ts";
import { MissingState, retryUntilLoadedAsync } from "../../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ConsensusEngine } from "../engine.ts";
import type { ProposerSettings } from "../proposer-settings.ts";
import type { ChainClock } from "./chain-clock.ts";

/** What previews are built with. */
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

/** A preview with all that it depends on. */
interface Sight {
  readonly seen: readonly unknown[];
  readonly previewed: PreviewedBlock;
  readonly preview: BlockPreview;
  block: ExecutedBlock | undefined;
  /** While its roots are made beside. */
  completing: Promise<void> | undefined;
  /** Milliseconds of `Clock.elapsed`. */
  readonly madeMs: number;
  /** How long it took. */
  readonly costMs: number;
}

/** A preview being built. */
interface Making {
  readonly seen: readonly unknown[];
  readonly made: Promise<void>;
}

/** How often a pending block is rebuilt when the tip moves meanwhile. */
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
 * The next block as the sealer would draft it now. It is built on demand, and kept until head, pool, settings or the
 * second of the clock change.
 */
export class BlockPreviews implements PendingBlocks {
  readonly showsReceipts: boolean;
  readonly #parts: PreviewParts;
  readonly #asked: () => unknown;
  #heads = 0;
  /** Counts changes to existing states: edits, and removed blocks. */
  #edits = 0;
  #sight: Sight | undefined;
  /** The build in progress, and whether another follows for callers that came meanwhile. */
  #making: Making | undefined;
  #following: Promise<void> | undefined;
  /** A finished build serves those who have waited for it, whatever has happened meanwhile. */
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

  block(): ExecutedBlock | Promise<ExecutedBlock> {
    try {
      return this.#completed();
    } catch (error) {
      if (!(error instanceof MissingState)) throw error;
      return this.#blockLater(error);
    }
  }

  /** Roots are those of the tip: where that moves while the block is made beside, it is kept in place in the end. */
  async #blockLater(first: MissingState): Promise<ExecutedBlock> {
    for (let attempt = 1, missing = first; attempt < MOST_ATTEMPTS; attempt++) {
      await missing.load();
      try {
        return this.#completed();
      } catch (error) {
        if (!(error instanceof MissingState)) throw error;
        missing = error;
      }
    }
    return this.#parts.chain.exclusive(() => retryUntilLoadedAsync(() => this.#completed()));
  }

  /** @throws MissingState where no preview of the tip is there */
  #completed(): ExecutedBlock {
    const sight = this.#look(0);
    if (sight.block !== undefined) return sight.block;
    if (!equalBytes(sight.preview.header.parentHash, this.#parts.chain.tip.hash)) {
      this.#awaited = undefined;
      return this.#completed();
    }
    const completed = sight.completing ?? this.#complete(sight);
    if (!(completed instanceof Promise)) return completed;
    throw new MissingState("the roots of the pending block", () => completed);
  }

  /** Adds the roots. @returns a promise only where others had a turn, which then comes true also if the state has changed */
  #complete(sight: Sight): ExecutedBlock | Promise<void> {
    const made = this.#parts.producer.complete(sight.previewed);
    if (!(made instanceof Promise)) {
      sight.block = executed(made, sight.preview);
      return sight.block;
    }
    sight.completing = made
      .then(
        (block) => {
          sight.block = executed(block, sight.preview);
          this.#serveNow(sight);
        },
        (error: unknown) => {
          if (!(error instanceof StateError && error.code === "STATE_STALE")) throw error;
        },
      )
      .finally(() => {
        sight.completing = undefined;
      });
    return sight.completing;
  }

  /** Those who have waited are served by it, whatever has happened meanwhile. */
  #serveNow(sight: Sight): void {
    const awaited = { sight, seen: this.#seen() };
    this.#awaited = awaited;
    this.#parts.runtime.timers.schedule(0, () => {
      if (this.#awaited === awaited) this.#awaited = undefined;
    });
  }

  /**
   * @param patience - so many times its cost a preview of the same head remains good, whatever entered the pool since
   * @throws MissingState while it is made beside
   */
  #look(patience: number): Sight {
    const seen = this.#seen();
    if (this.#sight && this.#serves(this.#sight, seen, patience)) return this.#sight;
    if (this.#awaited && isSame(seen, this.#awaited.seen)) return this.#awaited.sight;
    if (this.#making === undefined) {
      const built = this.#build(seen);
      if (!(built instanceof Promise)) {
        this.#sight = built;
        return built;
      }
      this.#await(seen, built);
    }
    throw new MissingState("the pending block", () => this.#untilMade(seen));
  }

  #await(seen: readonly unknown[], built: Promise<Sight>): void {
    const made = built.then(
      (sight) => {
        this.#making = undefined;
        this.#sight = sight;
        this.#serveNow(sight);
      },
      async (error: unknown) => {
        this.#making = undefined;
        if (!(error instanceof MissingState)) throw error;
        await error.load();
      },
    );
    made.catch(() => {}); // reported to those who wait, if any
    this.#making = { seen, made };
  }

  /** Resolves when a preview is ready that was started no earlier than this call. */
  async #untilMade(seen: readonly unknown[]): Promise<void> {
    const making = this.#making;
    if (making === undefined) return;
    if (isSame(seen, making.seen)) return making.made;
    this.#following ??= making.made
      .catch(() => {})
      .then(() => {
        this.#following = undefined;
        const now = this.#seen();
        const built = this.#build(now);
        if (built instanceof Promise) this.#await(now, built);
        else this.#sight = built;
        return this.#making?.made;
      });
    return this.#following;
  }

  #serves({ seen: then, madeMs, costMs }: Sight, seen: readonly unknown[], patience: number): boolean {
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
    const begun = runtime.clock.elapsed();
    const header = engine.prepare(chain.tip.header, this.#nextMs());
    const previewed = producer.preview(header);
    if (previewed instanceof Promise) return this.#sightBeside(seen, begun, previewed);
    return this.#sightOf(seen, begun, previewed);
  }

  /** Restarted if the state under it changed meanwhile. */
  async #sightBeside(
    seen: readonly unknown[],
    begun: number,
    previewed: Promise<PreviewedBlock>,
  ): Promise<Sight> {
    const edits = this.#edits;
    const isStale = () => edits !== this.#edits;
    const made = await previewed.catch((error: unknown) => {
      if (!isStale()) throw error;
      return undefined;
    });
    if (made === undefined || isStale()) return this.#build(this.#seen());
    return this.#sightOf(seen, begun, made);
  }

  #sightOf(seen: readonly unknown[], begun: number, previewed: PreviewedBlock): Sight {
    const { author, runtime } = this.#parts;
    const { built, state, changes } = previewed;
    const { transactions, receipts } = built;
    return {
      ...{ seen, previewed, block: undefined, completing: undefined },
      madeMs: runtime.clock.elapsed(),
      costMs: runtime.clock.elapsed() - begun,
      preview: {
        ...{ header: previewed.header, transactions, receipts, state, changes },
        ...(this.showsReceipts && { author }),
      },
    };
  }
}

function isSame(seen: readonly unknown[], then: readonly unknown[]): boolean {
  return seen.every((part, i) => part === then[i]);
}

function executed(block: ExecutedBlock["block"], { receipts }: BlockPreview): ExecutedBlock {
  return { block, hash: blockHash(block.header), receipts };
}
