// `npm run test:kill [-- --rounds 60]`: kills a development node, a node with a block per second, and imports that replace one
// branch with another, a third of the rounds each, and prints `N passed, N failed`: passed are transactions still where their
// receipts said and branches adopted completely; failed are chains that lost something.
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { killBranchRounds } from "./kill-branches.ts";
import { type KillRounds, killRounds } from "./kill-rounds.ts";
import { startKillableDev, startKillableNode } from "./killable-nodes.ts";
import { initPrivateChain } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "60" } } });
const rounds = Math.max(1, Math.round(Number(values.rounds) / 3));
let passed = 0;
let failed = 0;

function runUnderLoad(name: string, folder: string, start: KillRounds["start"]): Promise<void> {
  const onRound = (round: number, reported: number): void =>
    console.log(`${name}: round ${round}, ${reported} transactions reported so far`);
  return run(name, folder, () => killRounds({ rounds, start, random: Math.random, onRound }));
}

function runBranches(folder: string): Promise<void> {
  const onRound = (round: number, taken: number): void =>
    console.log(`branches: round ${round}, the chain is complete and is branch ${taken}`);
  return run("branches", folder, () => killBranchRounds({ rounds, folder, random: Math.random, onRound }));
}

async function run(name: string, folder: string, rounds: () => Promise<number>): Promise<void> {
  try {
    passed += await rounds();
  } catch (error) {
    failed++;
    console.log(`FAILED ${name} | ${(error as Error).message}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const devFolder = temporaryFolder();
await runUnderLoad("dev", devFolder, () => startKillableDev(devFolder));
const nodeFolder = temporaryFolder();
await initPrivateChain(nodeFolder);
await runUnderLoad("node", nodeFolder, () => startKillableNode(nodeFolder));
await runBranches(temporaryFolder());
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
