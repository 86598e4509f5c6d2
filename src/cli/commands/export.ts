import { join, resolve } from "node:path";
import { dataOptions } from "../../node/options/index.ts";
import { exportChainFile } from "../../node/storage/chain-file.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { command, UsageError } from "../command.ts";
import { openReadOnly } from "../progress/open-read-only.ts";
import { createProgressLine, quiet } from "../progress/progress.ts";
import { defaultDataDir, networkOf } from "../settings.ts";
import { isSubprocess, parentTerminal, runInSubprocess } from "../subprocess.ts";

const { dataDir, mainnet, testnet } = dataOptions;

/** `kairn export` */
export default command({
  usage: "FILE [FIRST] [LAST]",
  summary: "Writes blocks to a file as RLP, with gzip when its name ends in .gz.",
  options: { dataDir, mainnet, testnet, quiet },
  async run({ values, positionals, env, stdout, stderr, program }) {
    const [file, first = "0", last, ...more] = positionals;
    if (file === undefined || more.length > 0)
      throw new UsageError("usage: kairn export [--datadir D] FILE [FIRST] [LAST]");
    const folder = resolve(values.dataDir ?? defaultDataDir(networkOf(values) ?? "node", env));
    const isQuiet = values.quiet;
    if (program !== undefined && !isSubprocess(env))
      return runInSubprocess({
        program,
        words: ["export", ...positionals],
        folder,
        env,
        stdout,
        stderr,
        isQuiet,
      });
    const output = { env, stderr: parentTerminal(stderr, env), isQuiet };
    const ledger = await openReadOnly(folder, output);
    try {
      const { chain } = ledger;
      const end = last === undefined ? chain.head.header.number : blockNumber(last);
      const begin = blockNumber(first);
      const blocks = Number(end - begin) + 1;
      const line = createProgressLine(output);
      const onBlock = (number: bigint): void => {
        const done = Number(number - begin);
        line.update(done / blocks, (rate) => `block ${number}, ${rate(done)} blocks/s`);
      };
      await exportChainFile(chain, file, { first: begin, last: end, onBlock })
        .finally(() => line.clear())
        .catch((error: unknown) => {
          throw isHole(error, begin, chain.head.header.number) ? holeError(folder, error) : error;
        });
      stdout.write(`blocks ${first} to ${end} written to ${file}\n`);
      return 0;
    } finally {
      await ledger.store.close();
    }
  },
});

function blockNumber(text: string): bigint {
  if (!/^[0-9]+$/.test(text)) throw new UsageError(`${text} is not a block number`);
  return BigInt(text);
}

/** Whether a block is missing between others, which only damage can cause: pruned blocks are missing from the first one on. */
function isHole(error: unknown, first: bigint, head: bigint): error is NodeError {
  if (!(error instanceof NodeError) || error.code !== "OUT_OF_RANGE") return false;
  const { number } = error.details;
  return typeof number === "bigint" && number > first && number <= head;
}

function holeError(folder: string, cause: NodeError): NodeError<"DATABASE_DAMAGED"> {
  const file = join(folder, "chaindata", "store.mdb");
  return new NodeError("DATABASE_DAMAGED", `${file} is damaged: ${cause.message}`, {}, { cause });
}
