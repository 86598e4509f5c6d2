import { existsSync } from "node:fs";
import { refused } from "../api/rpc/errors.ts";
import type { ChainFiles } from "../api/rpc/handlers/admin.ts";
import { readBlocks } from "../ledger/chain/chain-file.ts";
import { exportChainFile, importChainFile } from "./chain-file.ts";
import type { Ledger } from "./ledger.ts";

/** Chain files of a ledger, for the admin namespace. */
export function chainFiles({ chain, importer }: Ledger): ChainFiles {
  return {
    async export(file, first, last) {
      if (existsSync(file)) throw refused("location would overwrite an existing file");
      await exportChainFile(chain, file, first, last);
    },
    async import(file) {
      await importChainFile(importer, file, { signal: new AbortController().signal, onProgress: () => {} });
    },
    async importBytes(blocks) {
      await importer.importAll(readBlocks(once(blocks)));
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
