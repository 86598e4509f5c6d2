import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../index.ts";

// The `trace_` methods that explorers call, in OpenEthereum's format.

const OUTER = `0x${"71".repeat(20)}`;
const INNER = `0x${"72".repeat(20)}`;
const ELSEWHERE = `0x${"73".repeat(20)}`;
/** Returns the word 0xaa. */
const RETURNS = "0x60aa60005260206000f3";
/** Calls INNER without input, then ends. */
const CALLS = `0x600060006000600060007372${"72".repeat(19)}61fffff15000`;
const GAS = "0x186a0";
const WORD = `0x${"aa".padStart(64, "0")}`;

let node: Node;
let from: string;
let hash: string;
let blockHash: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode({ http: { port: 0 } });
  [from = ""] = (await call("eth_accounts")) as string[];
  await call("anvil_setCode", OUTER, CALLS);
  await call("anvil_setCode", INNER, RETURNS);
  hash = (await call("eth_sendTransaction", { from, to: OUTER, gas: GAS, value: "0x5" })) as string;
  const receipt = await call("eth_getTransactionReceipt", hash);
  ({ blockHash } = receipt as { blockHash: string });
});
afterAll(() => node.stop());

const root = () => ({
  action: { from, to: OUTER, callType: "call", gas: "0x13498", input: "0x", value: "0x5" },
  result: { gasUsed: "0xa51", output: "0x" },
  ...{ subtraces: 1, traceAddress: [], type: "call" },
});
const inner = {
  action: { from: OUTER, to: INNER, callType: "call", gas: "0xffff", input: "0x", value: "0x0" },
  result: { gasUsed: "0x12", output: WORD },
  ...{ subtraces: 0, traceAddress: [0], type: "call" },
};
const place = () => ({ blockHash, blockNumber: 1, transactionHash: hash, transactionPosition: 0 });
const list = () => [
  { ...root(), ...place() },
  { ...inner, ...place() },
];

describe("trace_", () => {
  it("shows a transaction and a block as the same list, and one element by its index", async () => {
    expect(await call("trace_transaction", hash)).toEqual(list());
    expect(await call("trace_block", "0x1")).toEqual(list());
    expect(await call("trace_block", blockHash)).toEqual(list());
    expect(await call("trace_get", hash, ["0x0"])).toEqual({ ...inner, ...place() });
    expect(await call("trace_get", hash, [])).toEqual({ ...root(), ...place() });
    expect(await call("trace_get", hash, ["0x1"])).toBeNull();
  });

  it("returns an empty list for a block without transactions, and null for an unknown transaction", async () => {
    expect(await call("trace_block", "0x0")).toEqual([]);
    expect(await call("trace_transaction", `0x${"00".repeat(32)}`)).toBeNull();
    expect(await call("trace_replayTransaction", `0x${"00".repeat(32)}`, ["trace"])).toBeNull();
    await expect(call("trace_block", "0x99")).rejects.toThrow("the block does not exist (block number: 153)");
  });

  it("replays transactions and calls", async () => {
    const replay = { output: "0x", stateDiff: null, trace: [root(), inner], vmTrace: null };
    expect(await call("trace_replayTransaction", hash, ["trace"])).toEqual(replay);
    expect(await call("trace_replayBlockTransactions", "0x1", ["trace"])).toEqual([
      { ...replay, transactionHash: hash },
    ]);
    const called = await call("trace_call", { from, to: INNER, gas: GAS }, ["trace"], "latest");
    expect(called).toMatchObject({ output: WORD, trace: [{ action: { to: INNER }, traceAddress: [] }] });
    await expect(call("trace_call", { to: INNER }, ["trace", "other"])).rejects.toMatchObject({
      code: -32000,
      message: '"other" is not a kind of trace: trace, vmTrace, stateDiff',
    });
  });

  it("runs a signed transaction without sending it", async () => {
    const nonce = await call("eth_getTransactionCount", from, "latest");
    const fields = { from, to: INNER, gas: GAS, gasPrice: "0xba43b7400", nonce };
    const { raw } = (await call("eth_signTransaction", fields)) as { raw: string };
    expect(await call("trace_rawTransaction", raw, ["trace"])).toMatchObject({
      ...{ output: WORD, trace: [{ action: { from, to: INNER, callType: "call" } }] },
    });
    expect(await call("eth_getTransactionCount", from, "pending")).toBe(nonce);
  });

  describe("filter", () => {
    const filter = (wanted: object) => call("trace_filter", wanted);

    it("matches senders and receivers, both or either", async () => {
      const [first, second] = list();
      expect(await filter({})).toEqual([first, second]);
      expect(await filter({ fromAddress: [OUTER, ELSEWHERE] })).toEqual([second]);
      expect(await filter({ toAddress: [OUTER] })).toEqual([first]);
      const both = { fromAddress: [OUTER], toAddress: [OUTER] };
      expect(await filter(both)).toEqual([]);
      expect(await filter({ ...both, mode: "union" })).toEqual([first, second]);
      await expect(filter({ mode: "both" })).rejects.toThrow("mode must be intersection or union");
    });

    it("returns a page, and only of the requested blocks", async () => {
      const [first, second] = list();
      expect(await filter({ after: 1 })).toEqual([second]);
      expect(await filter({ count: "0x1" })).toEqual([first]);
      expect(await filter({ after: 1, count: 0 })).toEqual([]);
      expect(await filter({ toBlock: "0x0" })).toEqual([]);
    });

    it("rejects ranges that are too long or end before they begin", async () => {
      await expect(filter({ fromBlock: "0x1", toBlock: "0x3e8" })).rejects.toThrow("block number: 2");
      await expect(filter({ fromBlock: "0x1", toBlock: "0x3e9" })).rejects.toThrow("at most 1000 blocks");
      await expect(filter({ fromBlock: "0x1", toBlock: "0x0" })).rejects.toThrow("higher than toBlock");
    });
  });

  it("does not exist in a release's dialect", async () => {
    await using hidden = await createNode({ compat: "kaia" });
    await expect(
      hidden.provider.request({ method: "trace_block", params: ["latest"] }),
    ).rejects.toMatchObject({ code: -32601 });
  });
});
