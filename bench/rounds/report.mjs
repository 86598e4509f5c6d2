// `npm run bench`: this node beside every installed peer, with a table of medians and a plot.
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/lib.mjs";
import { benchKeyFiles } from "../key-files.mjs";
import { median } from "../pairs/verdict.mjs";
import { anvilPeers, ganachePeers, goPeer, hardhatPeers, kairnPeer } from "../peers/peers.mjs";
import { plot } from "../plot.mjs";
import { rowsOf } from "./figures.mjs";
import { measureRounds } from "./rounds.mjs";

const OUT = join(root, "bench", "results");
/** Flags for the load client of a phase. */
const FLAGS = { reads: ["--conc", "1,32"], submit: ["--n", "6000", "--tokens", "3000"] };
const QUICK_FLAGS = {
  reads: ["--secs", "0.5", "--conc", "1,32"],
  ws: ["--secs", "0.5", "--conc", "1,32"],
  submit: ["--n", "3000", "--tokens", "1500"],
  evm: ["--gas", "5e7"],
};

/**
 * Measures all peers, prints a table and writes `bench/results.json` and `bench/results.svg`.
 * @param {{ rounds: number, phases: string[], only?: string[], quick: boolean, kcn?: string }} options `kcn`: path of the Go node
 */
export async function benchRounds({ rounds, phases, only, quick, kcn }) {
  const all = [
    kairnPeer("kairn", root),
    { ...kairnPeer("kairn-instant", root, []), skip: phases.filter((phase) => phase !== "submit") },
    ...(kcn === undefined ? [] : [goPeer(kcn)]),
    ...anvilPeers(),
    ...hardhatPeers(),
    ...ganachePeers(),
  ];
  const peers = all.filter(({ name }) => only === undefined || only.includes(name));
  const records = await measureRounds(peers, { rounds, phases, flags: quick ? QUICK_FLAGS : FLAGS });
  const isOwnMeasured = peers.some(({ name }) => name === "kairn");
  if (isOwnMeasured && phases.includes("keystore"))
    for (let i = 0; i < rounds; i++) records.push(...(await benchKeyFiles()));
  const rows = rowsOf(records);
  console.log(`${machine()}; medians of ${rounds} interleaved rounds\n`);
  printTable(rows, peers);
  for (const { peer, phase, name, error, firstError } of records)
    if (error || firstError)
      console.log(`\n${peer} ${phase ?? ""} ${name ?? ""}: ${error ?? JSON.stringify(firstError)}`);
  writeFileSync(
    `${OUT}.json`,
    JSON.stringify({ date: new Date().toISOString(), machine: machine(), records }),
  );
  writeFileSync(`${OUT}.svg`, plot(rows));
}

function machine() {
  const [{ model } = { model: "unknown CPU" }] = cpus();
  return `${model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
}

function printTable(rows, peers) {
  const names = peers.map(({ name }) => name);
  console.log(`| | ${names.join(" | ")} |\n|---|${names.map(() => "---|").join("")}`);
  for (const { name, figures } of rows)
    console.log(`| ${name} | ${names.map((peer) => format(figures[peer])).join(" | ")} |`);
}

function format(values) {
  if (values === undefined) return "–";
  const value = median(values);
  return value >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Math.round(value * 10) / 10);
}
