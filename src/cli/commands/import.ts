import { join, resolve } from "node:path";
import { dataOptions } from "../../node/options/index.ts";
import { limitOptions } from "../../node/options/service/limits.ts";
import { importChainFile } from "../../node/storage/chain-file.ts";
import { readGenesisJson } from "../../node/storage/genesis.ts";
import { type Ledger, openLedger } from "../../node/storage/ledger.ts";
import { createCodeCompilation } from "../../node/workers/code-compilation.ts";
import { createRecoveryPool } from "../../node/workers/recovery-pool.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { command, type Terminal, UsageError } from "../command.ts";
import {
  createIndexingLine,
  createProgressLine,
  formatCount,
  type ProgressOutput,
  quiet,
} from "../progress/progress.ts";
import { defaultDataDir, networkOf } from "../settings.ts";

const { dataDir, mainnet, testnet, gcMode } = dataOptions;
const { evmCompile } = limitOptions;

/** `kairn import` */
export default command({
  usage: "FILE...",
  summary:
    "Executes and verifies the blocks of RLP files, plain or gzipped; resumes where it was interrupted.",
  options: { dataDir, mainnet, testnet, gcMode, evmCompile, quiet },
  async run({ values, positionals, ...terminal }) {
    if (positionals.length === 0) throw new UsageError("usage: kairn import [--datadir D] FILE...");
    const network = networkOf(values);
    const folder = resolve(values.dataDir ?? defaultDataDir(network ?? "node", terminal.env));
    const output = { ...terminal, isQuiet: values.quiet };
    const pools: { close(): Promise<void> }[] = [];
    // nothing waits for this thread, and another costs more to start than most contracts to compile
    const compiler = createCodeCompilation(values.evmCompile, { inThread: false });
    const ledger = await openLedger({
      directory: join(folder, "chaindata"),
      ...(network && { genesis: readGenesisJson(network) }),
      history: values.gcMode,
      recovery(chainId) {
        const pool = createRecoveryPool(chainId);
        pools.push(pool);
        return pool;
      },
      runtime: systemRuntime,
      compiler,
      onIndexing: createIndexingLine(output),
    });
    const interrupted = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());
    try {
      for (const file of positionals) await importFile(file, ledger, interrupted.signal, output);
      return 0;
    } catch (error) {
      if (!interrupted.signal.aborted) throw error;
      terminal.stderr.write(
        `kairn: interrupted at block ${ledger.chain.tip.header.number}; run it again to continue\n`,
      );
      return 130;
    } finally {
      await ledger.store.close();
      for (const pool of pools) await pool.close();
      await compiler?.close();
    }
  },
});

async function importFile(
  file: string,
  { importer }: Ledger,
  signal: AbortSignal,
  output: Terminal & ProgressOutput,
): Promise<void> {
  const line = createProgressLine(output);
  const started = Date.now();
  const { imported, skipped, transactions, number } = await importChainFile(importer, file, {
    signal,
    onProgress: ({ number, imported, transactions }, fraction) =>
      line.update(
        fraction,
        (rate) => `block ${number}, ${rate(imported)} blocks/s, ${rate(transactions)} transactions/s`,
      ),
  })
    .catch((error: unknown) => {
      throw described(error, file);
    })
    .finally(() => line.clear());
  const perSecond = Math.round(transactions / Math.max(0.001, (Date.now() - started) / 1000));
  const known = skipped > 0 ? `, ${skipped} were there` : "";
  output.stdout.write(`${file}: ${imported} blocks and ${transactions} transactions imported${known}`);
  output.stdout.write(`; head is block ${number} (${formatCount(perSecond)} transactions/s)\n`);
}

/** Errors that reject a block, or something that should be one. */
const REFUSALS: readonly string[] = [
  ...["BAD_BLOCK", "UNKNOWN_ANCESTOR", "BLOCK_STREAM", "NOT_A_BLOCK", "BLOCK_CUT_SHORT"],
];

/** The rejection of a block with its location: file, block, transaction, field. */
function described(error: unknown, file: string): unknown {
  if (!(error instanceof NodeError) || !REFUSALS.includes(error.code)) return error;
  const { number, hash, after, transactionIndex, transactionHash, field, position } = error.details;
  const where = [
    file,
    number !== undefined && `block ${number} (${hash})`,
    after !== undefined && `after block ${after}`,
    transactionIndex !== undefined && `transaction ${transactionIndex}`,
    transactionHash && `transaction ${transactionHash}`,
    field && `field ${field}`,
    position !== undefined && `byte ${position}`,
  ].filter(Boolean);
  return new NodeError(error.code, `${where.join(", ")}: ${error.message}`, error.details, { cause: error });
}
