// Runs scenes of the fuzzer through go-ethereum's `evm`: the results of our engine are written as state tests.
// `--evm PATH` names the program; `--scenes N` sets their number, `--seed S` the first seed, `--batch N` the batch size.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { EthereumFork } from "../../../src/ledger/evm/tables/ethereum-rules.ts";
import { sceneCases } from "./cases/random.ts";
import { type DraftFixture, fixtureOf } from "./fill/expand.ts";
import { failuresOf, versionOf } from "./fill/judge.ts";
import { outcomeOf } from "./run-row.ts";

/** Forks in turn; those covered only by comparing engines more often. */
const FORKS: readonly EthereumFork[] = [
  "Osaka",
  "Prague",
  "Osaka",
  "Prague",
  "Osaka",
  "Cancun",
  "London",
  "Osaka",
  "Byzantium",
];

const { values } = parseArgs({
  options: {
    evm: { type: "string", default: "" },
    scenes: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    batch: { type: "string", default: "500" },
  },
});
if (values.evm === "") throw new Error("--evm names go-ethereum's program `evm`");
const [scenes, first, batch] = [values.scenes, values.seed, values.batch].map(Number) as [
  number,
  number,
  number,
];

const counts: Map<string, number> = new Map();
let differences = 0;
for (let done = 0; done < scenes; done += batch) {
  runBatch(first + done, Math.min(batch, scenes - done));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    `${total} transactions of ${Math.min(done + batch, scenes)} scenes, ${differences} differences`,
  );
}
console.log(`${versionOf(values.evm)}: ${[...counts].map(([fork, count]) => `${fork} ${count}`).join(", ")}`);
process.exitCode = differences === 0 ? 0 : 1;

function runBatch(seed: number, size: number): void {
  const folder = mkdtempSync(join(tmpdir(), "campaign-"));
  const fixtures: Map<string, DraftFixture> = new Map();
  for (let i = 0; i < size; i++) addScene(fixtures, seed + i);
  try {
    for (const [, { name, fork, error }] of failuresOf(fixtures, values.evm, folder)) {
      differences++;
      console.log(`DIFFERENCE ${name} ${fork}: ${error}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function addScene(fixtures: Map<string, DraftFixture>, seed: number): void {
  const fork = FORKS[seed % FORKS.length] as EthereumFork;
  for (const source of sceneCases(seed, [fork])) {
    const fixture = fixtureOf(source);
    for (const row of fixture.post[fork] ?? []) {
      const { validityErrors, hash, logs } = outcomeOf(fixture, fork, row);
      Object.assign(
        row,
        { hash, logs },
        validityErrors.length > 0 && { expectException: validityErrors.join("|") },
      );
      counts.set(fork, (counts.get(fork) ?? 0) + 1);
    }
    fixtures.set(source.name, fixture);
  }
}
