// Validators in a simulation: their state machines, with links, clock, disks and byzantine validators determined by one seed.
// `npm run test:simulation [-- --all] [--validators N [--committee N] [--seeds N]] [--seed N]`
// `--validators N --seed N --draw FILE.svg [--from S] [--to S]`: draws a run, or part of it.
// `--whole [--seeds N] [--seed N]`: four whole nodes, on disks that lose power and fail.
// `--broken`: injects bugs into the state machine, one at a time, and expects each to be found; `--break NAME`: one of them.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { BROKEN, type Broken, settingOf } from "./simulation/broken.ts";
import { draw } from "./simulation/drawing.ts";
import type { Outcome, Setting } from "./simulation/setting.ts";
import type { WholeOutcome } from "./simulation/whole-network.ts";
import { World } from "./simulation/world.ts";

/** Number of seeds by number of validators. */
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
/** Maximum seeds until an injected bug must be found. */
const MAX_SEEDS = 2000;

const { values } = parseArgs({
  options: {
    ...{
      all: { type: "boolean" },
      broken: { type: "boolean" },
      whole: { type: "boolean" },
      break: { type: "string" },
    },
    ...{ validators: { type: "string" }, committee: { type: "string", default: "100" } },
    ...{ draw: { type: "string" }, from: { type: "string", default: "0" }, to: { type: "string" } },
    ...{ seeds: { type: "string", default: "1000" }, seed: { type: "string" } },
  },
});
const committee = Number(values.committee);

if (values.whole) await wholeCampaign(Number(values.seeds), values.break === "no-journal");
else if (values.broken || values.break) await breakAll();
else if (values.draw) drawOne(values.draw, Number(values.validators ?? 4), Number(values.seed ?? 1));
else if (values.validators) campaign(Number(values.validators), Number(values.seeds));
else for (const [validators, seeds] of values.all ? ALL : SHARE) campaign(validators, seeds);

/** Runs one seed, or all from the first. */
function campaign(validators: number, seeds: number): void {
  const before = process.cpuUsage();
  const first = Number(values.seed ?? 1);
  const last = values.seed === undefined ? seeds : first;
  const outcomes: Outcome[] = [];
  for (let seed = first; seed <= last; seed++) outcomes.push(runOne({ seed, validators, committee }));
  const { user, system } = process.cpuUsage(before);
  console.log(`${summary(validators, outcomes)}, ${((user + system) / 1e6).toFixed(1)} CPU s`);
}

/** Runs whole nodes for one seed, or for all from the first; with `forgets`, until a violation is detected. */
async function wholeCampaign(seeds: number, forgets: boolean): Promise<void> {
  const { WholeNetwork } = await import("./simulation/whole-network.ts"); // slow to load
  const before = process.cpuUsage();
  const first = Number(values.seed ?? 1);
  const last = values.seed === undefined ? seeds : first;
  const outcomes: WholeOutcome[] = [];
  for (let seed = first; seed <= last; seed++) {
    const outcome = await new WholeNetwork(seed, forgets).run();
    outcomes.push(outcome);
    if (outcome.violation === undefined) continue;
    process.exitCode = 1;
    console.log(`FAILED with whole nodes, seed ${seed}: ${outcome.violation}`);
    console.log(`  again: npm run test:simulation -- --whole --seed ${seed}`);
    if (forgets) break;
  }
  const sum = (of: (outcome: WholeOutcome) => number) =>
    outcomes.reduce((all, outcome) => all + of(outcome), 0);
  const longest = Math.max(...outcomes.map(({ healedAfterMs }) => healedAfterMs / 1000));
  const { user, system } = process.cpuUsage(before);
  console.log(
    `whole nodes, ${outcomes.length} seeds: ${sum(({ blocks }) => blocks)} blocks, ${sum(({ powerLosses }) => powerLosses)} power losses, ` +
      `${sum(({ diskErrors }) => diskErrors)} disk errors, ${sum(({ payments }) => payments)} payments, new blocks ` +
      `after at most ${longest.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} CPU s`,
  );
}

function drawOne(path: string, validators: number, seed: number): void {
  const { history, untilMs } = runOne({ seed, validators, committee, isDrawn: true });
  const toMs = values.to === undefined ? untilMs : 1000 * Number(values.to);
  const title = `${validators} validators, seed ${seed}`;
  writeFileSync(path, draw(history, validators, { fromMs: 1000 * Number(values.from), toMs }, title));
}

function runOne(setting: Setting): Outcome {
  const outcome = new World(setting).run();
  if (outcome.violation !== undefined) {
    process.exitCode = 1;
    const { seed, validators } = setting;
    console.log(`FAILED with ${validators} validators, seed ${seed}: ${outcome.violation}`);
    console.log(
      `  again: npm run test:simulation -- --validators ${validators} --committee ${committee} --seed ${seed}`,
    );
  }
  return outcome;
}

function summary(validators: number, outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((all, outcome) => all + of(outcome), 0);
  const healed = outcomes.map(({ healedAfterMs }) => healedAfterMs / 1000).sort((a, b) => a - b);
  const at = (share: number) =>
    healed[Math.min(healed.length - 1, Math.floor(healed.length * share))]?.toFixed(1);
  return [
    `${validators} validators, ${outcomes.length} seeds: ${sum(({ blocks }) => blocks)} blocks`,
    `${sum(({ events }) => events)} events`,
    `rounds to ${Math.max(...outcomes.map(({ highestRound }) => highestRound))}`,
    `new blocks after ${at(0.5)} s (95 %: ${at(0.95)} s, longest: ${at(1)} s)`,
  ].join(", ");
}

async function breakAll(): Promise<void> {
  const asked = BROKEN.filter(({ name }) => values.break === undefined || name === values.break);
  if (asked.length === 0) throw new Error(`--break: one of ${BROKEN.map(({ name }) => name).join(", ")}`);
  for (const broken of asked) {
    const found = await find(broken);
    if (found === undefined) process.exitCode = 1;
    console.log(`${broken.name}: ${found ?? `NOT FOUND in ${MAX_SEEDS} seeds`}`);
  }
}

/** The first seed that shows a fault, and what it shows. */
async function find(broken: Broken): Promise<string | undefined> {
  const setting = await settingOf(broken);
  for (let seed = 1; seed <= MAX_SEEDS; seed++) {
    const { violation } = new World({ seed, validators: 4, committee, ...setting }).run();
    if (violation !== undefined) return `seed ${seed}: ${violation}`;
  }
  return undefined;
}
