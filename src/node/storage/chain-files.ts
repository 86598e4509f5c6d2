import type { ChainFiles } from "../../api/rpc/handlers/node/admin.ts";
import { readBlocks } from "../../ledger/chain/import/chain-file.ts";
import type { DumpFolder } from "../../platform/telemetry/dump-folder.ts";
import { backupChain } from "./backup.ts";
import { exportChainFile, importChainFile } from "./chain-file.ts";
import type { Ledger } from "./ledger.ts";

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
      await importer.importAll(readBlocks(once(blocks)));
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
