import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rpcCall, until } from "./json-rpc.ts";
import { runKairn } from "./kairn-process.ts";
import { initPrivateChain, type PrivateNode, startPrivateNode } from "./private-chain.ts";
import { temporaryFolder } from "./started-node.ts";

let folder: string;
let node: PrivateNode;
beforeAll(async () => {
  folder = temporaryFolder();
  const { code, stdout } = await initPrivateChain(folder);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^genesis 0x[0-9a-f]{64} in /);
  node = await startPrivateNode(folder, "--ws", "--wsport", "0", "--wsapi", "eth");
});
afterAll(async () => {
  node.child.kill("SIGINT");
  expect(await node.exited).toBe(0);
  rmSync(folder, { recursive: true });
});

it("seals a block each second, each with its own time", async () => {
  await until(
    () => rpcCall(node.url, "eth_blockNumber"),
    (number) => BigInt(number) >= 3n,
  );
  const times = await Promise.all(
    ["0x1", "0x2", "0x3"].map(async (number) =>
      Number((await rpcCall(node.url, "eth_getBlockByNumber", number, false)).timestamp),
    ),
  );
  expect(times[2]).toBeGreaterThanOrEqual((times[0] as number) + 2);
});

it("serves the same modules over HTTP as the reference node", async () => {
  const modules = Object.keys(await rpcCall(node.url, "rpc_modules"));
  expect(modules.sort()).toEqual(expect.arrayContaining(["eth", "kaia", "klay", "net", "web3"]));
  await expect(rpcCall(node.url, "personal_listAccounts")).rejects.toThrow("personal_listAccounts");
  await expect(rpcCall(node.url, "admin_nodeInfo")).rejects.toThrow("admin_nodeInfo");
});

it("serves over IPC what is disabled over HTTP", async () => {
  const { stdout } = await runKairn(["attach", "--datadir", folder, "--exec", "personal.listAccounts"]);
  expect(stdout).toBe("[]\n");
});

it("refuses another genesis in one line", async () => {
  const { code, stderr } = await runKairn(["init", "--datadir", folder, "--testnet"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^kairn: [^\n]+\n$/);
});
