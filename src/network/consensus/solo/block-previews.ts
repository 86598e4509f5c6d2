import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import type { PreviewedBlock } from "../../../ledger/chain/execute/block-processor.ts";
import type { BlockPreview, PendingBlocks } from "../../../ledger/chain/execute/pending.ts";
import { retryUntilLoaded } from "../../../ledger/state/missing-state.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Clock } from "../../../platform/runtime/runtime.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ConsensusEngine } from "../engine.ts";
import type { ChainClock } from "./chain-clock.ts";
import type { ProposerSettings } from "./proposer-settings.ts";

/** What previews are made with. */
export interface PreviewParts {
  readonly chain: Blockchain;
  readonly pool: Pick<TransactionPool, "version">;
  readonly producer: BlockProducer;
  readonly engine: Pick<ConsensusEngine, "prepare">;
  readonly clock: ChainClock;
  readonly settings: Readonly<ProposerSettings>;
  /** Address of the validator that seals. */
  readonly author: Address;
  readonly runtime: { readonly clock: Clock };
}

/** A preview with all that it depends on. */
interface Sight {
  readonly seen: readonly unknown[];
  readonly previewed: PreviewedBlock;
  readonly preview: BlockPreview;
  block: ExecutedBlock | undefined;
  /** Milliseconds of `Clock.elapsed`. */
  readonly madeMs: number;
  /** How long it took. */
  readonly costMs: number;
}

/** So many times what a preview has cost it may serve those who ask often. */
const RECENT = 10;
/** The same for everybody where others than developers ask. */
const RECENT_IN_PUBLIC = 4;

/** How previews are made and what is told of them. */
export interface PreviewOptions {
  /** What else was asked of the next block; another value with each change. */
  readonly asked?: () => unknown;
  /** Whether receipts are shown and calls told who would seal the block; the reference node v2.2.1 does neither. */
  readonly isOpen?: boolean;
}

/**
 * The next block as the sealer would make it now. It is built when it is asked for, and kept until head, pool, settings or
 * the second of the clock change; who never asks pays nothing.
 */
export class BlockPreviews implements PendingBlocks {
  readonly showsReceipts: boolean;
  readonly #parts: PreviewParts;
  readonly #asked: () => unknown;
  #heads = 0;
  #sight: Sight | undefined;

  constructor(parts: PreviewParts, { asked = () => undefined, isOpen = false }: PreviewOptions = {}) {
    this.#parts = parts;
    this.#asked = asked;
    this.showsReceipts = isOpen;
    // The state of a development chain may change under the same head.
    parts.chain.onHead(() => void this.#heads++);
  }

  preview(): BlockPreview {
    return this.#look(this.showsReceipts ? 0 : RECENT_IN_PUBLIC).preview;
  }

  recent(): BlockPreview | undefined {
    return this.#parts.producer.waiting === 0 ? undefined : this.#look(RECENT).preview;
  }

  block(): ExecutedBlock | Promise<ExecutedBlock> {
    return retryUntilLoaded(() => {
      const sight = this.#look(0);
      sight.block ??= executed(this.#parts.producer.complete(sight.previewed), sight.preview);
      return sight.block;
    });
  }

  /** @param patience - so many times its cost a preview of the same head serves, whatever came into the pool since */
  #look(patience: number): Sight {
    const seen = this.#seen();
    if (this.#sight === undefined || !this.#serves(this.#sight, seen, patience))
      this.#sight = this.#build(seen);
    return this.#sight;
  }

  #serves({ seen: then, madeMs, costMs }: Sight, seen: readonly unknown[], patience: number): boolean {
    if (seen.every((part, i) => part === then[i])) return true;
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

  #build(seen: readonly unknown[]): Sight {
    const { chain, engine, producer, author, runtime } = this.#parts;
    const begun = runtime.clock.elapsed();
    const header = engine.prepare(chain.tip.header, this.#nextMs());
    const previewed = producer.preview(header);
    const { built, state } = previewed;
    const { transactions, receipts } = built;
    return {
      ...{ seen, previewed, block: undefined },
      madeMs: runtime.clock.elapsed(),
      costMs: runtime.clock.elapsed() - begun,
      preview: {
        ...{ header: previewed.header, transactions, receipts, state },
        ...(this.showsReceipts && { author }),
      },
    };
  }
}

function executed(block: ExecutedBlock["block"], { receipts }: BlockPreview): ExecutedBlock {
  return { block, hash: blockHash(block.header), receipts };
}
