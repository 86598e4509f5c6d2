import type { ExecutedBlock } from "../../../ledger/chain/chain.ts";
import { ChainError, STALE_CANDIDATE_CODES } from "../../../ledger/chain/errors.ts";
import type { DraftBlock } from "../../../ledger/chain/execute/candidate-block.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { Block } from "../../../protocol/block/block.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { BlockProducer } from "../block-producer.ts";
import type { ChainClock } from "./chain-clock.ts";

/** Dependencies of a sealer. */
export interface SealerParts {
  readonly producer: BlockProducer;
  /** Prepares the header of the block after a parent. */
  readonly prepare: (parent: Header, nowMs: number) => Header;
  /** Adds the seals to a block. @throws ConsensusError `UNAUTHORIZED` when this node may not propose */
  readonly seal: (block: Block) => Block;
  readonly clock: ChainClock;
  readonly logger: Logger;
}

/** The clock's time for the block after a parent. */
interface TimedBlock {
  readonly parent: Header;
  readonly nowMs: number;
}

/** Seals the blocks of the chain's only validator, one at a time. */
export class Sealer {
  readonly #parts: SealerParts;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: SealerParts) {
    this.#parts = parts;
  }

  /**
   * Seals the next block from the pool's executable transactions. Resolves when it is committed; it is on disk, and
   * public, once `BlockProducer.published` resolves.
   * @param isEmptyWanted - whether to seal an empty block too
   * @returns the block; undefined if it would be empty
   */
  seal(isEmptyWanted: boolean, signal: AbortSignal): Promise<ExecutedBlock | undefined> {
    const sealed = this.#running.then(() => this.#seal(isEmptyWanted, signal));
    this.#running = sealed.catch(() => {});
    return sealed;
  }

  /** Starts over if the candidate becomes stale, through another block or an edit of the state. */
  async #seal(isEmptyWanted: boolean, signal: AbortSignal): Promise<ExecutedBlock | undefined> {
    const { producer, prepare, clock, logger } = this.#parts;
    for (;;) {
      signal.throwIfAborted();
      let timed: TimedBlock | undefined;
      const headerAfter = (parent: Header): Header => {
        timed = { parent, nowMs: clock.peekNext(parent) };
        return prepare(parent, timed.nowMs);
      };
      if (!isEmptyWanted && producer.pendingCount === 0) return undefined;
      const draft = await producer.draft(headerAfter);
      if (draft === undefined) continue;
      if (!isEmptyWanted && draft.block.transactions.length === 0) return undefined;
      const executed = await this.#insert(draft, signal);
      if (executed === undefined) continue;
      if (timed !== undefined) clock.passNext(timed.parent, timed.nowMs);
      const { header, transactions } = executed.block;
      logger.debug("sealed block", { number: header.number, transactions: transactions.length });
      return executed;
    }
  }

  /** @returns undefined if the candidate is stale */
  async #insert(draft: DraftBlock, signal: AbortSignal): Promise<ExecutedBlock | undefined> {
    const { producer, seal } = this.#parts;
    const block = seal(draft.block);
    signal.throwIfAborted();
    try {
      return await producer.insert({ ...draft, block });
    } catch (error) {
      if (error instanceof ChainError && STALE_CANDIDATE_CODES.has(error.code)) return undefined;
      throw error;
    }
  }
}
