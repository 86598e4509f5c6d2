import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";
import { devCalls, hex } from "../testing/dev-calls.ts";
import { BOX, LOGGER, openOrigin, put } from "./testing/origin.ts";

let origin: Node;
let fork: Node;
let point = 0;
const there = devCalls(() => origin);
const here = devCalls(() => fork);

beforeAll(async () => {
  origin = await openOrigin();
  point = await there.number();
  fork = await createNode({ fork: { url: origin.endpoints.http as string } });
});
afterAll(async () => {
  await fork.stop();
  await origin.stop();
});

const both = (method: string, ...params: unknown[]) =>
  Promise.all([here.call(method, ...params), there.call(method, ...params)]);

describe("blocks before a fork", () => {
  it("are those of the remote chain, in every form", async () => {
    const blocks: unknown[] = [];
    for (const number of [0, 1, point, "latest"] as const) {
      const name = typeof number === "number" ? hex(number) : number;
      for (const method of ["eth_getBlockByNumber", "kaia_getBlockByNumber"]) {
        const [ours, theirs] = await both(method, name, true);
        expect(ours).toEqual(theirs);
        blocks.push(ours);
      }
    }
    const { hash, transactions } = blocks[2] as { hash: string; transactions: { hash: string }[] };
    for (const [method, ...params] of [
      ["eth_getBlockByHash", hash, false],
      ["eth_getTransactionByHash", transactions[0]?.hash],
      ["kaia_getTransactionReceipt", transactions[0]?.hash],
      ["eth_getBlockTransactionCountByNumber", "0x1"],
      ["debug_traceTransaction", transactions[0]?.hash, { tracer: "callTracer" }],
      ["eth_getBalance", here.own(0), "0x1"],
      ["eth_getProof", here.own(0), [], "0x1"],
    ] as const) {
      const [ours, theirs] = await both(method, ...params);
      expect([method, ours]).toEqual([method, theirs]);
    }
  });

  it("are merged with those of the fork in logs and fee histories", async () => {
    const sent = await here.sent("eth_sendTransaction", {
      from: here.own(1),
      to: LOGGER,
      data: "0xbb",
      gas: hex(100_000),
    });
    const logs = (range: Record<string, string>) =>
      here.call("eth_getLogs", { address: LOGGER, ...range }) as Promise<{ data: string }[]>;
    expect((await logs({ fromBlock: "earliest" })).map(({ data }) => data)).toEqual(["0xaa", "0xbb"]);
    expect((await logs({ fromBlock: "0x0", toBlock: hex(point) })).length).toBe(1);
    expect((await logs({ fromBlock: "latest" })).length).toBe(1);
    expect(await here.call("eth_getLogs", { blockHash: sent["blockHash"] })).toHaveLength(1);

    const fees = (await here.call("eth_feeHistory", hex(point + 2), "latest", [50])) as Record<
      string,
      string[]
    >;
    expect(fees["oldestBlock"]).toBe("0x0");
    expect(fees["gasUsedRatio"]).toHaveLength(point + 2);
    expect(fees["baseFeePerGas"]).toHaveLength(point + 3);
    expect(fees["reward"]).toHaveLength(point + 2);
  });

  it("are found by whatever a method calls them", async () => {
    const found: unknown[] = [];
    for (const [method, ...params] of [
      ["kaia_getBlockWithConsensusInfoByNumberRange", "0x1", "0x3"],
      ["debug_traceBlockByNumberRange", "0x1", "0x3", { tracer: "callTracer" }],
      ["debug_getModifiedAccountsByNumber", "0x1", "0x3"],
      ["debug_getModifiedAccountsByNumber", "0x2"],
      ["debug_getModifiedStorageNodesByNumber", BOX, "0x1", "0x3"],
      ["governance_getRewardsAccumulated", "0x1", "0x3"],
      ["trace_filter", { fromBlock: "0x1", toBlock: "0x3" }],
      ["trace_filter", { fromBlock: "0x2", toBlock: "0x3", count: "0x1", after: "0x1" }],
      ["kaia_getRewards", "0x2"],
      ["kaia_getCouncil"],
    ] as const) {
      const [ours, theirs] = await both(method, ...params);
      expect([method, ours]).toEqual([method, theirs]);
      found.push(ours);
    }
    expect(Object.keys(found[0] as object)).toEqual(["0x1", "0x2", "0x3"]);
    expect(found[1]).toMatchObject({ "3": { block: "0x3", traces: [{ result: { to: BOX } }] } });
    expect(found[2]).toContain(BOX);
    expect(found[6]).toHaveLength(3);
  });

  it("are merged with those of the fork in other ranges, or the range is refused", async () => {
    const end = hex(point + 2);
    await here.call("anvil_mine", hex(point + 2 - (await here.number())));
    const range = (await here.call("kaia_getBlockWithConsensusInfoByNumberRange", "0x1", end)) as Record<
      string,
      unknown
    >;
    expect(Object.keys(range)).toEqual(Array.from({ length: point + 2 }, (_, i) => hex(i + 1)));
    const traces = await here.call("debug_traceBlockByNumberRange", "0x1", end, { tracer: "callTracer" });
    expect(Object.keys(traces as object)).toHaveLength(point + 2);
    const rewards = async (first: string, last: string) =>
      (await here.call("governance_getRewardsAccumulated", first, last)) as Record<string, number>;
    const [whole, earlier, later] = [
      await rewards("0x1", end),
      await rewards("0x1", hex(point)),
      await rewards(hex(point + 1), end),
    ];
    expect(whole).toMatchObject({
      firstBlock: 1,
      lastBlock: point + 2,
      lastBlockTime: later["lastBlockTime"],
    });
    expect(String(whole["totalMinted"])).toBe(
      String(Number(earlier["totalMinted"]) + Number(later["totalMinted"])),
    );
    const calls = (filter: Record<string, string>) => here.call("trace_filter", filter) as Promise<unknown[]>;
    expect(await calls({ toAddress: [BOX] as never })).toHaveLength(3);
    expect(await calls({ count: "0x2" })).toHaveLength(2);
    await expect(calls({ after: "0x1" })).rejects.toThrow(/separately/);
    await expect(here.call("debug_getModifiedAccountsByNumber", "0x1", end)).rejects.toThrow(/separately/);
  });

  it("are the parents of the fork's first blocks", async () => {
    await here.call("evm_mine");
    const next = (await here.call("eth_getBlockByNumber", hex(point + 1), false)) as Record<string, string>;
    const last = (await here.call("eth_getBlockByNumber", hex(point), false)) as Record<string, string>;
    expect(next["parentHash"]).toBe(last["hash"]);
    expect(Number(next["timestamp"]) - Number(last["timestamp"])).toBeGreaterThan(0);
    await expect(here.call("eth_getProof", here.own(0), [], "latest")).rejects.toThrow(/no proofs/);
  });

  it("cannot be read by Kaia's methods if the remote chain has none", async () => {
    await using plain = await openOrigin(["eth", "net", "web3"]);
    await using over = await createNode({ fork: { url: plain.endpoints.http as string } });
    const { call, sent, own } = devCalls(() => over);
    expect(await sent("eth_sendTransaction", { from: own(0), ...put(4, 4) })).toMatchObject({
      status: "0x1",
    });
    expect(await call("eth_getBlockByNumber", "0x1", false)).toMatchObject({ number: "0x1" });
    await expect(call("kaia_getBlockByNumber", "0x1", false)).rejects.toThrow(
      /not Kaia's; ask for them with eth_/,
    );
    expect(await call("kaia_getBlockByNumber", "latest", false)).toMatchObject({ number: hex(point + 1) });
  });
});
