import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProposerSettings } from "../../network/consensus/proposer-settings.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../create-node.ts";
import { createMiner } from "./miner.ts";

const REWARDED = "0x00000000000000000000000000000000000a11ce";

let node: Node;
beforeAll(async () => {
  node = await createNode();
});
afterAll(() => node.stop());

const call = (method: string, ...params: unknown[]): Promise<unknown> =>
  node.provider.request({ method, params });
const blockNumber = async () => Number(await call("eth_blockNumber"));
const mine = () => call("evm_mine");

async function pay(gasPrice: string): Promise<unknown> {
  const [from] = (await call("eth_accounts")) as string[];
  return call("eth_sendTransaction", { from, to: REWARDED, value: "0x1", gas: "0x5208", gasPrice });
}

async function untilBlock(number: number): Promise<void> {
  await expect.poll(blockNumber, { interval: 5 }).toBeGreaterThanOrEqual(number);
}

describe("the miner namespace", () => {
  it("stops and starts sealing", async () => {
    expect(await call("miner_stop")).toBe(true);
    expect(await call("anvil_getAutomine")).toBe(false);
    const before = await blockNumber();
    await pay("0xba43b7400");
    expect(await call("txpool_status")).toMatchObject({ pending: "0x1" });
    expect(await blockNumber()).toBe(before);
    expect(await call("miner_start", 1)).toBeNull();
    await untilBlock(before + 1);
    expect(await call("txpool_status")).toMatchObject({ pending: "0x0" });
  });

  it("leaves transactions below the minimum price in the pool", async () => {
    expect(await call("miner_setGasPrice", "0xe8d4a51000")).toBe(true);
    await pay("0xba43b7400");
    await mine();
    expect(await call("txpool_status")).toMatchObject({ pending: "0x1" });
    const before = await blockNumber();
    await call("miner_setGasPrice", "0x0");
    await untilBlock(before + 1);
    expect(await call("txpool_status")).toMatchObject({ pending: "0x0" });
  });

  it("writes the extra data into headers", async () => {
    expect(await call("miner_setExtra", "kairn ✓")).toBe(true);
    await mine();
    const { extraData } = (await call("kaia_getBlockByNumber", "latest", false)) as { extraData: string };
    expect(Buffer.from(extraData.slice(2, 66), "hex").toString()).toContain("kairn ✓");
    await expect(call("miner_setExtra", "x".repeat(32))).rejects.toThrow("extra exceeds max length. 32 > 31");
  });

  it.each(["miner_setEtherbase", "miner_setRewardbase"])(
    "pays rewards to the account set by %s",
    async (method) => {
      expect(await call(method, REWARDED)).toBe(true);
      expect(await call("kaia_rewardbase")).toBe(REWARDED);
      const before = BigInt((await call("eth_getBalance", REWARDED, "latest")) as string);
      await mine();
      const { reward } = (await call("kaia_getBlockByNumber", "latest", false)) as { reward: string };
      expect(reward).toBe(REWARDED);
      expect(BigInt((await call("eth_getBalance", REWARDED, "latest")) as string)).toBeGreaterThan(before);
    },
  );

  it("keeps the settings of blocks, also on one of several validators, which cannot be paused", async () => {
    const settings: ProposerSettings = {};
    const miner = createMiner(undefined, settings);
    const rewardbase = hexToBytes(REWARDED);
    miner.setRewardbase(rewardbase);
    miner.setGasPrice(7n);
    expect(settings).toEqual({ rewardbase, lowestGasPrice: 7n });
    expect(miner.rewardbase).toBe(rewardbase);
    const refusal = /a validator among several cannot pause sealing/;
    expect(() => miner.start()).toThrow(refusal);
    await expect(miner.stop()).rejects.toThrow(refusal);
  });

  it("is described, and listed among the modules", async () => {
    expect(await call("rpc_modules")).toHaveProperty("miner", "1.0");
    const { methods } = (await call("rpc_discover")) as { methods: { name: string }[] };
    expect(methods.map(({ name }) => name)).toContain("miner_stop");
  });

  it("is listed along with every alias of the chain module, except in a release's dialect", async () => {
    const modulesOf = async (options: Parameters<typeof createNode>[0]) => {
      await using one = await createNode(options);
      const modules = Object.keys((await one.provider.request({ method: "rpc_modules" })) as object);
      return modules.filter((name) => ["chain", "kaia", "klay", "miner"].includes(name));
    };
    expect(await modulesOf({})).toEqual(["chain", "kaia", "klay", "miner"]);
    expect(await modulesOf({ compat: "kaia" })).toEqual(["kaia"]);
    expect(await modulesOf({ compat: "klaytn" })).toEqual(["klay"]);
  });

  it("is in no release of the reference", async () => {
    await using kaia = await createNode({ compat: "kaia" });
    await expect(kaia.provider.request({ method: "miner_stop" })).rejects.toThrow(
      "the method miner_stop does not exist/is not available",
    );
  });
});
