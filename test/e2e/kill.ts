// `npm run test:kill [-- --rounds 50]`: kills a development node and a node with a block per second, half of the
// rounds each, and prints `N passed, N failed`: transactions still where their receipts said, and chains that lost one.
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { type KillRounds, killRounds } from "./kill-rounds.ts";
import { startKillableDev, startKillableNode } from "./killable-nodes.ts";
import { initPrivateChain } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "50" } } });
const rounds = Math.max(1, Math.round(Number(values.rounds) / 2));
let passed = 0;
let failed = 0;

async function run(name: string, folder: string, start: KillRounds["start"]): Promise<void> {
  const onRound = (round: number, reported: number): void =>
    console.log(`${name}: round ${round}, ${reported} transactions reported so far`);
  try {
    passed += await killRounds({ rounds, start, random: Math.random, onRound });
  } catch (error) {
    failed++;
    console.log(`FAILED ${name} | ${(error as Error).message}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const devFolder = temporaryFolder();
await run("dev", devFolder, () => startKillableDev(devFolder));
const nodeFolder = temporaryFolder();
await initPrivateChain(nodeFolder);
await run("node", nodeFolder, () => startKillableNode(nodeFolder));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
