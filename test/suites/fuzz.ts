// Runs random programs and transactions on our engine and on @ethereumjs/evm and compares all observable results. With `--own` all
// execution modes of our engine are compared with its exact loop instead, which is some ten times as fast.
// `--programs N` sets their number, `--seed S` the first seed (incremented per scene), `--seconds T` stops early.
import { parseArgs } from "node:util";
import { Hardfork } from "@ethereumjs/common";
import type { EthereumFork } from "../../src/ledger/evm/tables/ethereum-rules.ts";
import { blockAt, word } from "../../src/ledger/evm/testing/run-code.ts";
import { EthereumjsEngine } from "./fuzz/ethereumjs-engine.ts";
import { KairnEngine } from "./fuzz/kairn-engine.ts";
import { sceneOf } from "./fuzz/scene.ts";
import { isSince } from "./state-tests/ethereum-block.ts";

const FORKS: readonly (readonly [EthereumFork, Hardfork])[] = [
  ["Osaka", Hardfork.Osaka],
  ["Byzantium", Hardfork.Byzantium],
  ["Prague", Hardfork.Prague],
  ["ConstantinopleFix", Hardfork.Petersburg],
  ["Cancun", Hardfork.Cancun],
  ["Istanbul", Hardfork.Istanbul],
  ["Osaka", Hardfork.Osaka],
  ["Berlin", Hardfork.Berlin],
  ["Prague", Hardfork.Prague],
  ["London", Hardfork.London],
  ["Cancun", Hardfork.Cancun],
  ["Shanghai", Hardfork.Shanghai],
];
const REPORT_EVERY = 10_000;
const OTHERS = Array.from({ length: KairnEngine.variants }, (_, i) => i).filter(
  (i) => i !== KairnEngine.exact,
);

const { values } = parseArgs({
  options: {
    programs: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "Infinity" },
    own: { type: "boolean", default: false },
  },
});
const wanted = Number(values.programs);
const first = Number(values.seed);
const until = performance.now() + Number(values.seconds) * 1000;

const block = { ...blockAt("osaka"), rules: { ...blockAt("osaka").rules, chainId: 1n } };
const blobHashes = [word(0xb10b), word(0xb10c)];
const pairs = await Promise.all(
  FORKS.map(async ([fork, hardfork]) => ({
    fork,
    ours: new KairnEngine(fork, block, blobHashes),
    theirs: await EthereumjsEngine.create(hardfork, block, blobHashes),
  })),
);

const started = performance.now();
let programs = 0;
let transactions = 0;
let successes = 0;
let differences = 0;
let scenes = 0;
while (programs < wanted && performance.now() < until) {
  await runScene(first + scenes++);
  if (scenes % REPORT_EVERY === 0) report();
}
report();
process.exitCode = differences === 0 && programs > 0 ? 0 : 1;

async function runScene(seed: number): Promise<void> {
  const { fork, ours, theirs } = pairs[seed % pairs.length] as (typeof pairs)[number];
  const scene = sceneOf(seed, isSince(fork, "Prague"));
  const reference = values.own ? ours.run(scene, KairnEngine.exact) : await theirs.run(scene);
  const expected = JSON.stringify(reference, bigintsAsText, 1);
  programs += scene.programs;
  transactions += scene.transactions.length;
  successes += reference.transactions.filter(({ outcome }) => outcome === "success").length;
  for (const variant of values.own ? OTHERS : [seed]) {
    const seen = JSON.stringify(ours.run(scene, variant), bigintsAsText, 1);
    if (seen === expected) continue;
    differences++;
    const place = `seed ${seed} under ${fork}, variant ${variant % KairnEngine.variants}`;
    console.log(`DIFFERENCE ${place}:\n${firstDifference(seen, expected)}`);
  }
}

function firstDifference(seen: string, expected: string): string {
  const [a, b] = [seen.split("\n"), expected.split("\n")];
  const at = a.findIndex((line, i) => line !== b[i]);
  return `  ours   ${a.slice(at, at + 2).join()}\n  theirs ${b.slice(at, at + 2).join()}`;
}

function report(): void {
  const seconds = Math.round((performance.now() - started) / 1000);
  const seeds = `seeds ${first} to ${first + scenes - 1}`;
  console.log(
    `${programs} programs, ${transactions} transactions (${successes} successful), ${differences} differences, ${seeds}, ${seconds} s`,
  );
}

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
