import type { ChainFiles } from "../../api/rpc/handlers/node/admin.ts";
import { ChainError } from "../../ledger/chain/errors.ts";
import { readBlocks } from "../../ledger/chain/import/chain-file.ts";
import type { DumpFolder } from "../../platform/telemetry/dump-folder.ts";
import type { Block } from "../../protocol/block/block.ts";
import { backupChain } from "./backup.ts";
import { exportChainFile, importChainFile } from "./chain-file.ts";
import type { Ledger } from "./ledger.ts";

/** What the RLP decoder of the reference says of bytes in which no block can be found. */
const RLP_TEXTS: Readonly<Record<string, string>> = {
  "not a block": "rlp: expected input list for types.extblock",
  "stream ends within a block": "rlp: value size exceeds available input length",
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
      await importChainFile(importer, dumps.find(file, mayLeave), {
        signal: new AbortController().signal,
        onProgress: () => {},
      });
    },
    async importBytes(blocks) {
      await importer.importAll(numbered(readBlocks(once(blocks))));
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Errors in the encoding name the block by its place, from 0 on, as in the reference. */
async function* numbered(blocks: AsyncIterable<Block>): AsyncGenerator<Block, undefined> {
  let index = 0;
  try {
    for await (const block of blocks) {
      yield block;
      index++;
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const reason = RLP_TEXTS[error.message] ?? error.message;
    throw new ChainError(error.code, `block ${index}: failed to parse: ${reason}`, error.details, {
      cause: error,
    });
  }
}
