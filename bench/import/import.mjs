// `npm run bench -- import [--rounds N] [CHAIN...]`: `kairn init` and `kairn import` of recorded chains into fresh folders.
// A chain is a folder with `genesis.json`, `chain.rlp.gz` and `expect.json`; without one, those of CHAINS below KAIRN_CHAINS
// or, of these, those that come with the project.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../../scripts/lib.mjs";

const CHAINS = ["load", "load-evm"];
const program = join(root, "bin", "kairn");
// Node reads such a file at each start, which costs this machine 30 ms
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const usage = new URL("usage.mjs", import.meta.url).href;

/** Measures the chains `rounds` times in turn and prints one row per run and the medians. */
export function benchImport(folders, rounds) {
  const chains = folders.length > 0 ? folders : defaultChains();
  for (const folder of chains) {
    if (!isChain(folder)) {
      console.error(`no chain.rlp.gz in ${folder}; name folders of chains or set KAIRN_CHAINS`);
      process.exitCode = 2;
      return;
    }
  }
  console.log(
    `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.versions.node}\n`,
  );
  console.log("| chain | seconds | transactions/s | Mgas/s | CPU seconds | peak MiB | load average |");
  console.log("|---|---|---|---|---|---|---|");
  const runs = [];
  for (let round = 0; round < rounds; round++) for (const folder of chains) runs.push(importOnce(folder));
  if (rounds === 1) return;
  for (const folder of chains) {
    const own = runs.filter(({ chain }) => chain === basename(folder));
    print({ ...medians(own), chain: `${basename(folder)}, median` });
  }
}

function defaultChains() {
  const own = process.env.KAIRN_CHAINS;
  if (own !== undefined) return CHAINS.map((name) => join(own, name));
  const chains = CHAINS.map((name) => join(root, "test", "fixtures", "chains", name));
  const [missing] = chains.filter((folder) => !isChain(folder)).map((folder) => basename(folder));
  if (missing !== undefined)
    console.log(`without ${missing}: set KAIRN_CHAINS to a folder that contains it\n`);
  return chains.filter(isChain);
}

function isChain(folder) {
  return existsSync(join(folder, "chain.rlp.gz"));
}

function importOnce(folder) {
  const work = mkdtempSync(join(tmpdir(), "kairn-import-"));
  try {
    const data = join(work, "data");
    const file = join(work, "usage.json");
    kairn(["init", "--datadir", data, join(folder, "genesis.json")]);
    const load = loadavg()[0];
    const started = performance.now();
    const out = kairn(["import", "--datadir", data, join(folder, "chain.rlp.gz")], file);
    const seconds = (performance.now() - started) / 1000;
    const { txCount, totalGas } = expected(folder);
    const run = {
      chain: basename(folder),
      seconds,
      transactions: txCount / seconds,
      mgas: totalGas / 1e6 / seconds,
      ...JSON.parse(readFileSync(file, "utf8")),
      load,
    };
    if (!out.includes(`${txCount} transactions imported`)) throw new Error(`not all was imported: ${out}`);
    print(run);
    return run;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function expected(folder) {
  const { blocks } = JSON.parse(readFileSync(join(folder, "expect.json"), "utf8"));
  const sum = (field) => blocks.reduce((total, block) => total + Number(block[field]), 0);
  return { txCount: sum("txCount"), totalGas: sum("gasUsed"), head: blocks.at(-1).hash };
}

function kairn(args, usageFile) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", usage, program, ...args], {
    encoding: "utf8",
    env: { ...env, ...(usageFile && { KAIRN_BENCH_USAGE: usageFile }) },
  });
  if (status !== 0) throw new Error(`kairn ${args.join(" ")} failed:\n${stderr}`);
  return stdout;
}

function medians(runs) {
  const of = (field) => runs.map((run) => run[field]).sort((a, b) => a - b)[runs.length >> 1];
  return Object.fromEntries(Object.keys(runs[0]).map((field) => [field, of(field)]));
}

function print({ chain, seconds, transactions, mgas, cpuSeconds, peakMiB, load }) {
  const figures = [seconds, transactions, mgas, cpuSeconds, peakMiB, load];
  const digits = [2, 0, 1, 2, 0, 2];
  console.log(`| ${[chain, ...figures.map((figure, i) => figure.toFixed(digits[i]))].join(" | ")} |`);
}
