import type { Block } from "../../../protocol/block/block.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { ChainError } from "../errors.ts";

/** Limits of a branch, since it is held in memory. */
export interface BranchLimits {
  readonly blocks: number;
  readonly transactions: number;
}

/** An hour of blocks. */
const LIMITS: BranchLimits = { blocks: 3_600, transactions: 200_000 };

/** Blocks of a side branch, ascending, held until they outnumber the blocks they would replace. */
export class SideBranch {
  readonly #limits: BranchLimits;
  #blocks: Block[] = [];
  #transactions = 0;

  constructor(limits: BranchLimits = LIMITS) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** Whether a block is a child of the newest block held. */
  isContinuedBy({ header }: Block): boolean {
    const last = this.#blocks.at(-1);
    return last !== undefined && equalBytes(blockHash(last.header), header.parentHash);
  }

  /** Adds a block to the branch. @throws ChainError `BRANCH_TOO_LONG`, which also empties it */
  add(block: Block): void {
    const { blocks, transactions } = this.#limits;
    this.#blocks.push(block);
    this.#transactions += block.transactions.length;
    if (this.#blocks.length <= blocks && this.#transactions <= transactions) return;
    const first = this.take()[0] as Block;
    throw new ChainError(
      "BRANCH_TOO_LONG",
      `side branch from block ${first.header.number} is too long: block ${block.header.number} still does not make it ` +
        `longer than the chain, and at most ${blocks} blocks or ${transactions} transactions wait`,
      { number: block.header.number, first: first.header.number, blocks, transactions },
    );
  }

  /** Holds blocks that were taken out, of this branch or of another, instead of those it has. @throws as `add` */
  hold(blocks: readonly Block[]): void {
    this.take();
    for (const block of blocks) this.add(block);
  }

  /** Removes and returns all blocks. */
  take(): readonly Block[] {
    const taken = this.#blocks;
    this.#blocks = [];
    this.#transactions = 0;
    return taken;
  }
}
