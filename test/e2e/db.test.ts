import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { runKairn } from "./kairn-process.ts";
import { startNodeIn, temporaryFolder } from "./started-node.ts";

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

it("reads rows larger than the buffer that the build gives lmdb", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inputs = [0, 1, 2].map((i) => `0x${Buffer.alloc(110_000, `call ${i} `).toString("hex")}`);
  const node = await startNodeIn(folder);
  const { http } = node.endpoints;
  const [from, to] = node.accounts.map(({ address }) => address);
  await rpcCall(http, "evm_setAutomine", false);
  for (const data of inputs) await rpcCall(http, "eth_sendTransaction", { from, to, data, gas: "0x7a1200" });
  await rpcCall(http, "evm_mine");
  node.child.kill("SIGINT");
  await node.exited;
  const again = await startNodeIn(folder);
  const { size, transactions } = await rpcCall(again.endpoints.http, "eth_getBlockByNumber", "0x1", true);
  again.child.kill("SIGINT");
  await again.exited;
  expect(Number(size)).toBeGreaterThan(256 * 1024);
  expect(transactions.map(({ input }: { input: string }) => input)).toEqual(inputs);
  expect(await runKairn(["db", "check", "--datadir", folder])).toMatchObject({ code: 0 });
});
