import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { killBranchRounds } from "./kill-branches.ts";
import { killRounds } from "./kill-rounds.ts";
import { startKillableDev, startKillableNode } from "./killable-nodes.ts";
import { initPrivateChain } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

const ROUNDS = 3;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

it("a development chain loses no reported transaction when killed under load", async () => {
  const start = () => startKillableDev(folder);
  expect(await killRounds({ rounds: ROUNDS, start, random: Math.random })).toBeGreaterThan(ROUNDS);
});

it("a chain of its own loses no reported transaction when killed under load", async () => {
  expect((await initPrivateChain(folder)).code).toBe(0);
  const start = () => startKillableNode(folder);
  expect(await killRounds({ rounds: ROUNDS, start, random: Math.random })).toBeGreaterThan(ROUNDS);
});

it("a branch that takes the chain's place does so whole or not at all when the import is killed", async () => {
  expect(await killBranchRounds({ rounds: ROUNDS, folder, random: Math.random })).toBe(ROUNDS);
});
