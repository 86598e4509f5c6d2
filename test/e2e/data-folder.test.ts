import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { rpcCall, rpcError, until } from "./json-rpc.ts";
import { runKairn } from "./kairn-process.ts";
import { startNode, temporaryFolder } from "./started-node.ts";

const GENESIS = fileURLToPath(new URL("../fixtures/chains/bft4/genesis.json", import.meta.url));

it("refuses to overwrite the genesis of a folder", async () => {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const init = (file: string) => runKairn(["init", "--datadir", folder, file]);
  const first = await init(GENESIS);
  expect(first).toMatchObject({ code: 0 });
  const genesis = JSON.parse(readFileSync(GENESIS, "utf8"));
  const other = join(folder, "other.json");
  for (const changed of [
    { ...genesis, config: { ...genesis.config, chainId: 4242 } },
    { ...genesis, timestamp: "0x5f000000" },
  ]) {
    writeFileSync(other, JSON.stringify(changed));
    const second = await init(other);
    expect(second.code).toBe(78);
    expect(second.stderr).toMatch(/chain id 2023, not 4242|incompatible genesis block/);
  }
  expect(await init(GENESIS)).toMatchObject({ code: 0, stdout: first.stdout });
}, 60_000);

it("a node whose folder is removed reports it, is not ready, and stops with exit code 74", async () => {
  const node = await startNode("--no-mining");
  onTestFinished(() => void node.child.kill("SIGKILL"));
  const { http } = node.endpoints;
  await rpcCall(http, "evm_mine");
  rmSync(node.dataDir, { recursive: true });
  const ready = async () => (await fetch(new URL("/ready", http))).status;
  await until(ready, (status) => status === 503);
  expect((await rpcError(http, "evm_mine")).message).toContain("was removed or replaced");
  expect(await rpcCall(http, "eth_blockNumber")).toBe("0x1");
  expect(node.printed.stderr).toContain("was removed or replaced");
  node.child.kill("SIGTERM");
  expect(await node.exited).toBe(74);
}, 60_000);
