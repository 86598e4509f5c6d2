import { join, resolve } from "node:path";
import { dataOptions } from "../../node/options/index.ts";
import { checkChain, repairChainLog } from "../../node/storage/check-chain.ts";
import type { Ledger } from "../../node/storage/ledger.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { byteSize, grouped } from "../activity/amounts.ts";
import { command, UsageError } from "../command.ts";
import { openReadOnly } from "../progress/open-read-only.ts";
import { createProgressLine, type ProgressLine, type ProgressOutput, quiet } from "../progress/progress.ts";
import { defaultDataDir, networkOf } from "../settings.ts";
import { isSubprocess, parentTerminal, runInSubprocess } from "../subprocess.ts";

const { dataDir, mainnet, testnet } = dataOptions;

/** The actions of `kairn db`; each returns the lines to print. */
const ACTIONS: Readonly<Record<string, (ledger: Ledger, output: ProgressOutput) => string[]>> = {
  stats,
  check,
};

export default command({
  usage: "stats | check | repair",
  summary:
    "Shows what a database holds (stats), verifies it by hashing the newest state again and comparing every block " +
    "with its roots and indexes (check), or truncates a damaged log and reports what is lost (repair).",
  options: { dataDir, mainnet, testnet, quiet },
  async run({ values, positionals, env, stdout, stderr, program }) {
    const [name = "", ...more] = positionals;
    const action = ACTIONS[name];
    if ((action === undefined && name !== "repair") || more.length > 0)
      throw new UsageError("usage: kairn db [--datadir D] stats | check | repair");
    const folder = resolve(values.dataDir ?? defaultDataDir(networkOf(values) ?? "node", env));
    if (action === undefined) {
      stdout.write(`${await repair(join(folder, "chaindata"))}\n`);
      return 0;
    }
    const isQuiet = values.quiet;
    if (program !== undefined && !isSubprocess(env))
      return runInSubprocess({ program, words: ["db", name], folder, env, stdout, stderr, isQuiet });
    const output = { env, stderr: parentTerminal(stderr, env), isQuiet };
    const ledger = await openReadOnly(folder, output);
    try {
      stdout.write(`${action(ledger, output).join("\n")}\n`);
      return 0;
    } finally {
      await ledger.store.close();
    }
  },
});

const CHECK_HINT = "kairn db check shows with which block the chain ends now";

/** @returns what to print */
async function repair(directory: string): Promise<string> {
  const { files } = systemRuntime;
  if (!files.exists(directory)) throw new UsageError(`there is no ${directory}`);
  const lock = await files.lock(join(directory, "LOCK"));
  try {
    const done = await repairChainLog(files, directory);
    if (done === undefined) return "the log is whole: there is nothing to repair";
    const { path, offset, isGone, isCut, kept, lostBlocks, lostRecords } = done;
    if (isCut)
      return [
        `${path} was cut off at byte ${offset}; the log goes on from there now`,
        `lost: ${lostRecords} records that were acknowledged after it`,
        CHECK_HINT,
      ].join("\n");
    const part = isGone ? "what was in the missing part" : "the damaged part";
    return [
      isGone
        ? `${path} is missing, has lost its beginning or what came before it; the log ends before it now`
        : `${path} is damaged at byte ${offset}; the log ends there now`,
      ...(kept.length > 0 ? [`kept aside: ${kept.join(", ")}`] : []),
      lostBlocks
        ? `lost: ${part}, and blocks ${lostBlocks.first} to ${lostBlocks.last} after it (${lostRecords} records)`
        : `lost: ${part}; no whole block comes after it`,
      CHECK_HINT,
    ].join("\n");
  } finally {
    lock.release();
  }
}

function stats(ledger: Ledger): string[] {
  const { store, chain } = ledger;
  const { number } = chain.head.header;
  const { storeBytes, logBytes, truncatedBytes, replayed } = store.stats();
  const tables = [...store.tableSizes()].map(([name, { rows, bytes }]) => [
    name,
    grouped(rows),
    byteSize(bytes),
  ]);
  return [
    `head      block ${number} ${bytesToHex(chain.head.hash)}`,
    `genesis   ${bytesToHex(chain.genesisHash)}, chain id ${chain.config.chainId}`,
    `states    from block ${oldestState(ledger)} to ${number}`,
    `files     ${byteSize(storeBytes)} database, ${byteSize(logBytes)} log (${replayed} records replayed, ${truncatedBytes} bytes of a torn end)`,
    "",
    ...aligned([["table", "rows", "size"], ...tables]),
  ];
}

/** @throws StateError `STATE_DAMAGED`, ChainError `CHAIN_DAMAGED` */
function check(ledger: Ledger, output: ProgressOutput): string[] {
  const { store, chain } = ledger;
  const { accounts, slots, nodes, codes } = verified(store, output);
  const { blocks, transactions, postings } = checked(ledger, output);
  const rows = [...store.tableSizes()].map(([name, { rows }]) => `${name} ${grouped(rows)}`);
  const { number, stateRoot } = chain.head.header;
  const root = store.head?.root ?? stateRoot;
  const { replayed, truncatedBytes } = store.stats();
  const torn = `${grouped(truncatedBytes)} bytes of a torn write at its end`;
  const edited = equalBytes(root, stateRoot)
    ? ""
    : " (edited after the block, as a development chain may be)";
  return [
    `rows: ${rows.join(", ")}`,
    `state of block ${number}: root ${bytesToHex(root)} is right${edited}`,
    `${grouped(accounts)} accounts, ${grouped(slots)} storage slots, ${grouped(nodes)} trie nodes, ${grouped(codes)} codes`,
    `${grouped(blocks)} blocks with ${grouped(transactions)} transactions, receipts and all look-ups agree, with ` +
      `${grouped(postings)} entries of the log index`,
    `log: ${grouped(replayed)} records after the database, ${truncatedBytes > 0 ? torn : "whole"}`,
  ];
}

/** Hashes the state; progress follows from the hashed addresses, which are evenly distributed. */
function verified(store: Ledger["store"], output: ProgressOutput): ReturnType<Ledger["store"]["verify"]> {
  let accounts = 0;
  return watched(output, (line) =>
    store.verify((key) => {
      accounts++;
      const fraction = (((key[0] as number) << 8) + (key[1] as number)) / 0x10000;
      line.update(fraction, (rate) => `state, ${grouped(accounts)} accounts, ${rate(accounts)} accounts/s`);
    }),
  );
}

function checked(ledger: Ledger, output: ProgressOutput): ReturnType<typeof checkChain> {
  const head = Number(ledger.chain.head.header.number);
  return watched(output, (line) =>
    checkChain(ledger, (number) => {
      const done = Number(number);
      line.update(done / (head + 1), (rate) => `block ${number}, ${rate(done)} blocks/s`);
    }),
  );
}

function watched<T>(output: ProgressOutput, work: (line: ProgressLine) => T): T {
  const line = createProgressLine(output);
  try {
    return work(line);
  } finally {
    line.clear();
  }
}

/** The lowest block from which every state up to the head can be read. */
function oldestState({ store, chain }: Ledger): bigint {
  let [low, high] = [0n, chain.head.header.number];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (store.at(middle) === undefined) low = middle + 1n;
    else high = middle;
  }
  return low;
}

/** Columns of equal width; the first to the left, the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number)))
      .join("  "),
  );
}
