import { join, resolve } from "node:path";
import { dataOptions } from "../../node/options/index.ts";
import { readGenesisJson } from "../../node/storage/genesis.ts";
import { openLedger } from "../../node/storage/ledger.ts";
import { LARGE_FILE, naming, readTextWithin } from "../../platform/intake/read-file.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { command, UsageError } from "../command.ts";
import { defaultDataDir, networkOf } from "../settings.ts";

const { dataDir, mainnet, testnet, gcMode } = dataOptions;

/** `kairn init` */
export default command({
  usage: "[GENESIS.json]",
  summary: "Writes a genesis block into a data folder.",
  options: { dataDir, mainnet, testnet, gcMode },
  async run({ values, positionals, env, stdout }) {
    const network = networkOf(values);
    const [file, ...more] = positionals;
    if (more.length > 0 || (file === undefined) === (network === undefined)) {
      throw new UsageError("usage: kairn init [--datadir D] GENESIS.json (or --mainnet, --testnet)");
    }
    const folder = resolve(values.dataDir ?? defaultDataDir(network ?? "node", env));
    const genesis = network === undefined ? genesisIn(file as string) : readGenesisJson(network);
    const ledger = await openLedger({
      directory: join(folder, "chaindata"),
      genesis,
      history: values.gcMode,
      recovery: createInlineRecovery,
      runtime: systemRuntime,
    });
    await ledger.store.close();
    stdout.write(`genesis ${bytesToHex(ledger.chain.genesisHash)} in ${folder}\n`);
    return 0;
  },
});

function genesisIn(file: string): ReturnType<typeof readGenesisJson> {
  const text = readTextWithin(file, LARGE_FILE);
  return naming(file, () => readGenesisJson({ text }));
}
