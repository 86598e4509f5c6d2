import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { type StartedNode, startNode, temporaryFolder } from "./started-node.ts";

// Flags of `kairn dev` read by the command itself.

const RECEIVER = `0x${"be".repeat(20)}`;

function folder(): string {
  const path = temporaryFolder();
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function pay({ endpoints, accounts }: StartedNode): Promise<unknown> {
  const transfer = { from: accounts[0]?.address, to: RECEIVER, value: "0x7" };
  const hash = await rpcCall(endpoints.http, "eth_sendTransaction", transfer);
  for (;;) {
    const receipt = await rpcCall(endpoints.http, "eth_getTransactionReceipt", hash);
    if (receipt !== null) return receipt;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it("--mixed-mining seals before the interval ends, and --dump-state and --load-state restore the result", async () => {
  const file = join(folder(), "state.json");
  const first = await startNode("--ephemeral", "--block-time", "1h", "--mixed-mining", "--dump-state", file);
  expect(await pay(first)).toMatchObject({ status: "0x1", blockNumber: "0x1" });
  expect(existsSync(file)).toBe(false);
  expect(await first.stop()).toBe(0);
  const second = await startNode("--ephemeral", "--load-state", file);
  expect(await rpcCall(second.endpoints.http, "eth_getBalance", RECEIVER, "latest")).toBe("0x7");
  expect(await second.stop()).toBe(0);
});

it.each([
  ["json", /^\{".*"\}$/],
  ["text", /^[^{]/],
])("--log.format %s", async (format, shape) => {
  const node = await startNode("--ephemeral", "--log.format", format, "--verbosity", "3");
  expect(await node.stop()).toBe(0);
  for (const line of node.printed.stderr.trimEnd().split("\n")) expect(line).toMatch(shape);
});

it("--dashboard serves the page on the given address and port, and --dashboard=false does not", async () => {
  const flags = ["--dashboard.addr", "127.0.0.1", "--dashboard.port", "0"];
  const shown = await startNode("--ephemeral", "--dashboard", ...flags);
  const { dashboard } = shown.endpoints as { dashboard?: string };
  expect(await (await fetch(dashboard as string)).text()).toMatch(/^<!doctype html>/i);
  expect(await shown.stop()).toBe(0);
  const hidden = await startNode("--ephemeral", "--dashboard=false");
  expect(hidden.endpoints).not.toHaveProperty("dashboard");
  expect(await hidden.stop()).toBe(0);
});

it("--fork-cache keeps remote state in a folder, --fork-block sets the block to fork from", async () => {
  const cache = join(folder(), "forks");
  const origin = await startNode("--ephemeral");
  await pay(origin);
  await pay(origin);
  const fork = async (...flags: string[]) => {
    const node = await startNode(
      "--ephemeral",
      "--fork-url",
      origin.endpoints.http,
      "--fork-cache",
      cache,
      ...flags,
    );
    const balance = await rpcCall(node.endpoints.http, "eth_getBalance", RECEIVER, "latest");
    expect(await node.stop()).toBe(0);
    return { balance, block: node.blockNumber };
  };
  expect(await fork("--no-fork-cache")).toEqual({ balance: "0xe", block: 2 });
  expect(existsSync(cache)).toBe(false);
  expect(await fork("--fork-block", "1")).toEqual({ balance: "0x7", block: 1 });
  const [kept] = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(readFileSync(join(kept?.parentPath as string, kept?.name as string)).length).toBeGreaterThan(0);
  expect(await origin.stop()).toBe(0);
});
