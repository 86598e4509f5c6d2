import type { Block } from "../../../protocol/block/block.ts";

/** Limits of a batch, whose senders are recovered while earlier blocks are executed. */
const BATCH = { blocks: 64, transactions: 2_000, bytes: 8 << 20 };

/** Groups blocks into batches; if the source fails, the blocks read before are still delivered. */
export async function* batches(blocks: AsyncIterable<Block>): AsyncGenerator<readonly Block[]> {
  let batch: Block[] = [];
  let transactions = 0;
  let bytes = 0;
  let failure: { readonly cause: unknown } | undefined;
  try {
    for await (const block of blocks) {
      batch.push(block);
      transactions += block.transactions.length;
      bytes += dataOf(block);
      if (batch.length < BATCH.blocks && transactions < BATCH.transactions && bytes < BATCH.bytes) continue;
      yield batch;
      batch = [];
      transactions = 0;
      bytes = 0;
    }
  } catch (cause) {
    failure = { cause };
  }
  if (batch.length > 0) yield batch;
  if (failure !== undefined) throw failure.cause;
}

/** Bytes of the variable-length parts of a block. */
function dataOf({ header, transactions }: Block): number {
  return transactions.reduce((sum, { input }) => sum + input.length, header.extra.length);
}
