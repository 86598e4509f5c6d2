import { afterEach, describe, expect, it, vi } from "vitest";
import type { LogLimits } from "../../../api/rpc/services/limits.ts";
import { createNode, type Node } from "../../create-node.ts";

/** Init code that logs the number 42 under topic 0xaa and leaves an empty contract. */
const LOGGER = "0x602a60005260aa60206000a160006000f3";

let node: Node;
const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const search = (from: number, to: number) =>
  ask("eth_getLogs", { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` });
afterEach(() => node.stop());

/** A chain whose first two blocks have a log each. */
async function withLogs(logLimits: Partial<LogLimits>): Promise<void> {
  node = await createNode({ logLimits });
  const [from] = (await ask("eth_accounts")) as [string];
  for (let i = 0; i < 2; i++) {
    const hash = await ask("eth_sendTransaction", { from, input: LOGGER });
    await vi.waitUntil(() => ask("eth_getTransactionReceipt", hash), { timeout: 20_000 });
  }
}

describe("a search for logs", () => {
  it("is rejected beyond the range limit, counted like geth", async () => {
    await withLogs({ range: 1 });
    expect(await search(1, 2)).toHaveLength(2);
    await expect(search(0, 2)).rejects.toMatchObject({
      code: -32602,
      message: "exceed maximum block range: 1",
    });
    await expect(ask("eth_getLogs", { fromBlock: "0x0", toBlock: "latest" })).rejects.toThrow("range: 1");
    const filter = await ask("eth_newFilter", { fromBlock: "0x0", toBlock: "latest" });
    await expect(ask("eth_getFilterLogs", filter)).rejects.toThrow("range: 1");
  });

  it("fails at the limit of logs; without one it finds all", async () => {
    await withLogs({ items: 1 });
    expect(await search(1, 1)).toHaveLength(1);
    await expect(search(0, 2)).rejects.toThrow("query returned more than 1 results");
    await node.stop();
    await withLogs({ items: 0 });
    expect(await search(0, 2)).toHaveLength(2);
  });
});
