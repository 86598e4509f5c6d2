import type { Block } from "../../protocol/block/block.ts";
import { decodeBlock, encodeBlock } from "../../protocol/block/block-codec.ts";
import { splitBlocks } from "./block-stream.ts";
import type { Chain } from "./chain.ts";
import { ChainError } from "./errors.ts";

/**
 * The blocks of a chain file, plain or in gzip, in its order. Block 0, which some files hold, is left out: it is the
 * genesis.
 * @throws ChainError `BLOCK_STREAM`, RlpError, TransactionError
 */
export async function* readBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Block, undefined> {
  for await (const bytes of splitBlocks(source)) {
    const block = decodeBlock(bytes);
    if (block.header.number > 0n) yield block;
  }
}

/**
 * The encodings of the blocks `first` to `last`, both included: joined they are a chain file.
 * @throws ChainError `OUT_OF_RANGE`
 */
export function* exportBlocks(
  chain: Pick<Chain, "block" | "head">,
  first: bigint,
  last: bigint,
): Generator<Uint8Array, undefined> {
  if (first > last) {
    throw new ChainError("OUT_OF_RANGE", `export failed: first (${first}) is greater than last (${last})`);
  }
  for (let number = first; number <= last; number++) {
    const block = chain.block(number);
    if (block === undefined) {
      throw new ChainError("OUT_OF_RANGE", `export failed on #${number}: not found`, { number });
    }
    yield encodeBlock(block);
  }
}
