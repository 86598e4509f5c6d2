import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseGenesis } from "../../ledger/chain/genesis/genesis.ts";
import { initialGenesis } from "../../ledger/chain/genesis/genesis-init.ts";
import { readBlocks } from "../../ledger/chain/import/chain-file.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { type Ledger, openLedger } from "../storage/ledger.ts";

const chains = new URL("../../../test/fixtures/private-chains/", import.meta.url);

/** Content of a compressed file beside a chain of the reference node; its README describes the chain. */
export function privateChainFile(chain: string, name: string): Uint8Array {
  return gunzipSync(readFileSync(new URL(`${chain}/${name}.gz`, chains)));
}

/** Imports a chain that the reference node made, in memory, with the state of every block. */
export async function importPrivateChain(chain: string): Promise<Ledger> {
  const genesis = new TextDecoder().decode(privateChainFile(chain, "genesis.json"));
  const ledger = await openLedger({
    genesis: initialGenesis(parseGenesis(genesis)),
    history: "archive",
    recovery: createInlineRecovery,
    runtime: systemRuntime,
  });
  await ledger.importer.importAll(readBlocks(once(privateChainFile(chain, "chain.rlp"))));
  return ledger;
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
