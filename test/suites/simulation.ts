// Validators in a simulation: their machines, with links, clock, disks and liars that one seed decides.
// `npm run test:simulation [-- --all] [--validators N --seeds N] [--seed N]`
import { parseArgs } from "node:util";
import { type Outcome, World } from "./simulation/world.ts";

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    validators: { type: "string" },
    committee: { type: "string", default: "100" },
    seeds: { type: "string", default: "1000" },
    seed: { type: "string" },
  },
});

/** How many seeds are run with how many validators. */
const SHARE = [
  [4, 1000],
  [7, 100],
  [10, 50],
] as const;
const ALL = [
  [4, 10_000],
  [7, 1000],
  [10, 1000],
  [100, 20],
] as const;

const asked = values.validators && ([[Number(values.validators), Number(values.seeds)]] as const);
let failures = 0;
for (const [validators, seeds] of asked || (values.all ? ALL : SHARE)) campaign(validators, seeds);
process.exitCode = failures === 0 ? 0 : 1;

function campaign(validators: number, seeds: number): void {
  const before = process.cpuUsage();
  const outcomes: Outcome[] = [];
  const first = Number(values.seed ?? 1);
  const last = values.seed === undefined ? seeds : first;
  for (let seed = first; seed <= last; seed++) {
    const outcome = new World({ seed, validators, committee: Number(values.committee) }).run();
    outcomes.push(outcome);
    if (outcome.violation !== undefined) {
      failures++;
      console.log(`FAILED with ${validators} validators, seed ${seed}: ${outcome.violation}`);
      console.log(`  again: npm run test:simulation -- --validators ${validators} --seed ${seed}`);
    }
  }
  const { user, system } = process.cpuUsage(before);
  const sum = (of: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const healed = outcomes.map(({ healedAfterMs }) => healedAfterMs / 1000).sort((a, b) => a - b);
  const at = (share: number) =>
    healed[Math.min(healed.length - 1, Math.floor(healed.length * share))]?.toFixed(1);
  console.log(
    `${validators} validators, ${outcomes.length} seeds: ${sum(({ blocks }) => blocks)} blocks, ${sum(({ events }) => events)} events, ` +
      `rounds to ${Math.max(...outcomes.map(({ highestRound }) => highestRound))}, new blocks after ${at(0.5)} s (95 %: ${at(0.95)} s, longest: ${at(1)} s), ` +
      `${((user + system) / 1e6).toFixed(1)} CPU s`,
  );
}
