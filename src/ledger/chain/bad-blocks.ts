import type { Block } from "../../protocol/block/block.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";

/** A block that was refused, and why. */
export interface BadBlock {
  readonly hash: Hash;
  readonly block: Block;
  readonly reason: string;
}

/** How many refused blocks are remembered. */
const REMEMBERED = 100;

/** The refused blocks of this run, the one with the highest number first, as `debug_getBadBlocks` lists them. */
export class BadBlocks {
  #blocks: readonly BadBlock[] = [];

  add(bad: BadBlock): void {
    this.#blocks = [bad, ...this.#blocks]
      .sort((a, b) => Number(b.block.header.number - a.block.header.number))
      .slice(0, REMEMBERED);
  }

  list(): readonly BadBlock[] {
    return this.#blocks;
  }
}
