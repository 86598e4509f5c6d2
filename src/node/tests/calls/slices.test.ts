import type { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";
import type { NodeOptions } from "../../node-options.ts";

let node: Node;
const threads: Worker[] = [];
const note = (thread: Worker): void => void threads.push(thread);
afterEach(async () => {
  process.off("worker", note);
  await node.stop();
});

/** Threads that are started while a node with these options does something. */
async function threadsFor(options: NodeOptions, ...calls: [method: string, ...params: unknown[]][]) {
  node = await createNode(options);
  threads.length = 0;
  process.on("worker", note);
  const [from] = (await node.provider.request({ method: "eth_accounts" })) as string[];
  for (const [method, ...params] of calls)
    await node.provider.request({ method, params: [{ from, to: from, gas: "0x5208" }, ...params] });
  return threads.length;
}

describe("a call", () => {
  it("runs in a thread where the slice is none, and not where it is long", async () => {
    expect(await threadsFor({ callSliceMs: 0 }, ["eth_call", "latest"])).toBeGreaterThan(0);
    await node.stop();
    expect(await threadsFor({ callSliceMs: 1000 }, ["eth_call", "latest"])).toBe(0);
  });
});

describe("a transaction of a block", () => {
  it("runs in a thread where the slice is none, and not where it is long", async () => {
    expect(await threadsFor({ blockSliceMs: 0 }, ["eth_sendTransaction"])).toBeGreaterThan(0);
    await node.stop();
    expect(await threadsFor({ blockSliceMs: 1000 }, ["eth_sendTransaction"])).toBe(0);
  });
});
