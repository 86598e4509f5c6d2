import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { killBranchRounds } from "./kill-branches.ts";
import { killRounds } from "./kill-rounds.ts";
import { startKillableDev, startKillableNode } from "./killable-nodes.ts";
import { initPrivateChain } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

/** `npm run test:kill` runs many more. */
const ROUNDS = 3;

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// in parallel: the tests are independent
describe.concurrent("after a kill", () => {
  it("a development chain has lost no reported transaction", async () => {
    const reported = await inFolder((folder) => {
      const start = () => startKillableDev(folder);
      return killRounds({ rounds: ROUNDS, start, random: Math.random });
    });
    expect(reported).toBeGreaterThan(ROUNDS);
  });

  it("a private chain has lost no reported transaction", async () => {
    const reported = await inFolder(async (folder) => {
      expect((await initPrivateChain(folder)).code).toBe(0);
      const start = () => startKillableNode(folder);
      return killRounds({ rounds: ROUNDS, start, random: Math.random });
    });
    expect(reported).toBeGreaterThan(ROUNDS);
  });

  it("an import has replaced the chain completely or not at all", async () => {
    const rounds = { rounds: ROUNDS, random: Math.random };
    expect(await inFolder((folder) => killBranchRounds({ ...rounds, folder }))).toBe(ROUNDS);
  });
});
