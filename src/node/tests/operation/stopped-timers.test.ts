import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";
import { countedTimers } from "../../testing/counted-timers.ts";

// A timer that is left keeps the process alive after its node has stopped, for seconds or for ever.

const fixtures = new URL("../../../../test/fixtures/chains/bft4/", import.meta.url);
const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, fixtures), "utf8"));
const call = (node: Node, method: string, ...params: unknown[]) => node.provider.request({ method, params });

it("a development node with everything on leaves no timer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-timers-"));
  const timers = countedTimers();
  try {
    const node = await createNode({
      runtime: { ...systemRuntime, timers },
      ...{ dev: true, dataDir: folder, lightKdf: true, dashboard: { port: 0 }, metrics: { port: 0 } },
      ...{ http: { port: 0 }, ws: { port: 0 }, sealing: { kind: "interval", intervalMs: 50 } },
      eventStream: { mode: "file", file: join(folder, "events") },
    });
    await call(node, "eth_newFilter", {});
    const account = await call(node, "personal_newAccount", "right");
    await call(node, "personal_unlockAccount", account, "right", 60);
    const guess = { jsonrpc: "2.0", id: 1, method: "personal_unlockAccount", params: [account, "wrong", 60] };
    const headers = { "content-type": "application/json" };
    const guesses = Array.from({ length: 8 }, () =>
      fetch(node.endpoints.http as string, { method: "POST", headers, body: JSON.stringify(guess) }).catch(
        () => undefined,
      ),
    );
    await expect.poll(() => Number(node.chain.head.header.number)).toBeGreaterThan(2);
    expect(timers.running()).not.toEqual([]);
    await node.stop();
    await Promise.all(guesses);
    expect(timers.running()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("validators leave no timer", async () => {
  const genesis = readJson("genesis.json");
  const validators = readJson("validators.json") as readonly { nodeKey: string }[];
  const timers = validators.slice(0, 4).map(() => countedTimers());
  const nodes: Node[] = [];
  for (const [i, counted] of timers.entries()) {
    const urls = await Promise.all(nodes.map(urlOf));
    const peers = { port: 0, host: "127.0.0.1", nodes: urls };
    const nodeKey = hexToBytes(validators[i]?.nodeKey ?? "");
    nodes.push(
      await createNode({
        dev: false,
        genesis,
        nodeKey,
        peers,
        runtime: { ...systemRuntime, timers: counted },
      }),
    );
  }
  const heights = () => nodes.map((node) => Number(node.chain.head.header.number));
  await expect.poll(() => Math.min(...heights()), { timeout: 60_000 }).toBeGreaterThan(1);
  for (const node of nodes) await node.stop();
  expect(timers.flatMap((counted) => counted.running())).toEqual([]);
}, 120_000);

async function urlOf(node: Node): Promise<string> {
  const { id, ports } = (await call(node, "admin_nodeInfo")) as { id: string; ports: { listener: number } };
  return `kni://${id}@127.0.0.1:${ports.listener}`;
}
