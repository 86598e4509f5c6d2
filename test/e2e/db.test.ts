import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

const recorded = fileURLToPath(new URL("../fixtures/chains/bft4/", import.meta.url));
const { blocks } = JSON.parse(readFileSync(join(recorded, "expect.json"), "utf8"));
const head = blocks.at(-1);

/** A data folder with the recorded chain of 145 blocks, more than the states that a full node keeps. */
async function imported(...flags: string[]) {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kairn = async (command: string, ...args: string[]) => {
    const result = await runKairn([command, "--datadir", folder, ...args]);
    expect(result).toMatchObject({ code: 0 });
    return result.stdout;
  };
  await kairn("init", ...flags, join(recorded, "genesis.json"));
  await kairn("import", join(recorded, "chain.rlp.gz"));
  return { folder, kairn };
}

it("counts the contents of a database and verifies its state root", async () => {
  const { kairn } = await imported();
  const stats = await kairn("db", "stats");
  expect(stats).toContain(`block ${head.number} ${head.hash}`);
  expect(stats).toContain(`states    from block ${head.number - 128} to ${head.number}`);
  expect(stats).toMatch(new RegExp(`^header +${head.number + 1} `, "m"));
  expect(await kairn("db", "check")).toContain(`root ${head.stateRoot} is right`);
});

it("stays an archive when opened by a command without a mode", async () => {
  const { folder, kairn } = await imported("--gcmode", "archive");
  await kairn("export", join(folder, "blocks.rlp"), "1", "2");
  expect(await kairn("db", "stats")).toContain(`states    from block 0 to ${head.number}`);
});
