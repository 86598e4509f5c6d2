import { RpcError, refused } from "../../api/rpc/engine/errors.ts";
import type { ChainFiles } from "../../api/rpc/handlers/node/admin.ts";
import type { ChainErrorCode } from "../../ledger/chain/errors.ts";
import { readBlocks } from "../../ledger/chain/import/chain-file.ts";
import type { BlockImporter } from "../../ledger/chain/import/importer.ts";
import { openPieces } from "../../platform/intake/read-file.ts";
import type { DumpFolder } from "../../platform/telemetry/dump-folder.ts";
import type { Block } from "../../protocol/block/block.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { backupChain } from "./backup.ts";
import { exportChainFile } from "./chain-file.ts";
import type { Ledger } from "./ledger.ts";

/** Blocks that the reference inserts together. */
const BATCH = 2_500;
/** What the RLP decoder of the reference says of an input that ends within a block: a file, and bytes of known length. */
const ENDS = {
  file: "unexpected EOF",
  bytes: "rlp: value size exceeds available input length",
};

/**
 * Chain files of a ledger, for the admin namespace.
 * @param dumps - the folder for files of callers that may not access others
 */
export function chainFiles(ledger: Ledger, dumps: DumpFolder): ChainFiles {
  const { chain, importer } = ledger;
  return {
    async backup(folder, mayLeave) {
      await backupChain(ledger.own, mayLeave ? folder : dumps.place(folder));
    },
    async export(file, first, last) {
      await exportChainFile(chain, dumps.place(file), { first, last, isNew: true });
    },
    async import(file, mayLeave) {
      await importNumbered(importer, readBlocks(openPieces(dumps.find(file, mayLeave))), ENDS.file);
    },
    async importBytes(blocks) {
      await importNumbered(importer, readBlocks(once(blocks)), ENDS.bytes);
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Imports blocks with the reference's error texts: a mistake in the encoding names the block by its place, any other the batch
 * of 2,500 blocks, both from 0 on.
 * @param end - what is said of an input that ends within a block
 */
async function importNumbered(
  importer: BlockImporter,
  blocks: AsyncIterable<Block>,
  end: string,
): Promise<void> {
  let first: bigint | undefined;
  const texts: Readonly<Record<string, string>> = {
    NOT_A_BLOCK: "rlp: expected input list for types.extblock",
    BLOCK_CUT_SHORT: end,
  } satisfies Partial<Record<ChainErrorCode, string>>;
  async function* numbered(): AsyncGenerator<Block, undefined> {
    let index = 0;
    try {
      for await (const block of blocks) {
        first ??= block.header.number;
        yield block;
        index++;
      }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      throw refused(`block ${index}: failed to parse: ${texts[error.code] ?? error.message}`);
    }
  }
  try {
    await importer.importAll(numbered());
  } catch (error) {
    if (!(error instanceof NodeError) || error instanceof RpcError) throw error;
    const { number } = error.details;
    const index = typeof number === "bigint" ? Number(number - (first ?? number)) : 0;
    throw refused(`batch ${Math.floor(index / BATCH)}: failed to insert: ${error.message}`);
  }
}
