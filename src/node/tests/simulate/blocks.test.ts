import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";
import { ALICE, BOB, CAROL, funded, requestsTo, type Simulated } from "../../testing/simulation.ts";

let node: Node;
const { request, simulate, one } = requestsTo(() => node);
beforeAll(async () => {
  node = await createNode();
  await request("evm_mine");
});
afterAll(() => node.stop());

describe("eth_simulateV1", () => {
  it("carries state from call to call and from block to block, and persists nothing", async () => {
    const blocks = await simulate({
      blockStateCalls: [
        { stateOverrides: funded, calls: [{ from: ALICE, to: BOB, value: "0x7d0" }] },
        {
          calls: [
            { from: BOB, to: CAROL, value: "0x3e8" },
            { from: ALICE, to: CAROL, value: "0xbb8" },
          ],
        },
      ],
    });
    expect(blocks.map(({ number, gasUsed }) => [number, gasUsed])).toEqual([
      ["0x2", "0x5208"],
      ["0x3", "0xa410"],
    ]);
    expect(blocks[0]?.calls).toEqual([
      { returnData: "0x", logs: [], gasUsed: "0x5208", maxUsedGas: "0x5208", status: "0x1" },
    ]);
    const head = (await request("eth_getBlockByNumber", "latest", false)) as { hash: string; number: string };
    expect(blocks[0]?.parentHash).toBe(head.hash);
    expect(blocks[1]?.parentHash).toBe(blocks[0]?.hash);
    expect(head.number).toBe("0x1");
    expect(await request("eth_getBalance", CAROL, "latest")).toBe("0x0");
  });

  it("has the state roots that its blocks would have in the chain", async () => {
    const own = await createNode();
    try {
      const ask = (method: string, ...params: unknown[]) => own.provider.request({ method, params });
      const run = (block: string, ...blockStateCalls: object[]) =>
        ask("eth_simulateV1", { blockStateCalls }, block) as Promise<Simulated[]>;
      await ask("evm_mine");
      /** Stores 7 at slot 1. */
      const code = "0x6007600155";
      await ask("hardhat_setCode", BOB, code);
      const empty = { stateOverrides: funded };
      const calling = { calls: [{ from: ALICE, to: BOB, value: "0x2" }] };
      const [first, second] = await run("latest", empty, calling);
      const head = (await ask("eth_getBlockByNumber", "latest", false)) as Simulated;

      // The same, done to the chain; each block also keeps the hash of the one before it.
      const root = async () => {
        const { accountProof } = (await ask("eth_getProof", ALICE, [], "latest")) as {
          accountProof: string[];
        };
        return bytesToHex(keccak256(hexToBytes(accountProof[0] as string)));
      };
      const history = "0x0000f90827f1c53a10cb7a02335b175320002935";
      const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
      await ask("hardhat_setBalance", ALICE, "0x1388");
      await ask("hardhat_setStorageAt", history, "0x1", head.hash);
      expect(await root()).toBe(first?.stateRoot);
      await ask("hardhat_setBalance", ALICE, "0x1386");
      await ask("hardhat_setNonce", ALICE, "0x1");
      await ask("hardhat_setBalance", BOB, "0x2");
      await ask("hardhat_setStorageAt", BOB, "0x1", word(7n));
      await ask("hardhat_setStorageAt", history, "0x2", first?.hash);
      expect(await root()).toBe(second?.stateRoot);
      expect(second?.stateRoot).not.toBe(first?.stateRoot);
    } finally {
      await own.stop();
    }
  });

  it("continues from a past block and from the pending one", async () => {
    const own = await createNode({ sealing: { kind: "manual" } });
    try {
      const ask = (method: string, ...params: unknown[]) => own.provider.request({ method, params });
      const nothing = async (block: string) =>
        ((await ask("eth_simulateV1", { blockStateCalls: [{}] }, block)) as Simulated[])[0] as Simulated;
      await ask("evm_mine");
      const then = await nothing("latest");
      const [from] = (await ask("eth_accounts")) as string[];
      await ask("eth_sendTransaction", { from, to: CAROL, value: "0x5" });
      const pending = await nothing("pending");
      expect(pending.number).toBe("0x3");
      await ask("evm_mine");
      expect(await nothing("0x1")).toEqual(then);
      const { stateRoot } = await nothing("latest");
      expect(new Set([then.stateRoot, stateRoot]).size).toBe(2);
    } finally {
      await own.stop();
    }
  });

  it("shows the simulated blocks to code", async () => {
    /** Answers NUMBER, TIMESTAMP, COINBASE, BASEFEE, PREVRANDAO and the hash of the block before. */
    const code = `0x${"43600052426020524160405248606052446080526001430340"}60a05260c06000f3`;
    const [, second] = await simulate({
      blockStateCalls: [
        { stateOverrides: { [BOB]: { code } } },
        {
          blockOverrides: {
            number: "0x5",
            time: "0x9999999999",
            feeRecipient: CAROL,
            baseFeePerGas: "0x0",
            prevRandao: "0x7",
          },
          calls: [{ to: BOB }],
        },
      ],
    }).then((blocks) => {
      expect(blocks.map(({ number }) => number)).toEqual(["0x2", "0x3", "0x4", "0x5"]);
      return [blocks[2], blocks[3]] as const;
    });
    const words = String(second?.calls[0]?.["returnData"]).slice(2).match(/.{64}/g) as string[];
    expect(words.slice(0, 5).map((word) => BigInt(`0x${word}`))).toEqual([
      5n,
      0x9999999999n,
      BigInt(CAROL),
      0n,
      7n,
    ]);
    expect(`0x${words[5]}`).toBe(second?.parentHash);
    expect(second).toMatchObject({ number: "0x5", timestamp: "0x9999999999", miner: CAROL });
  });

  it.each([
    ["a number that is not higher", { blockOverrides: { number: "0x1" } }, -38020],
    ["a time that is not later", { blockOverrides: { time: "0x1" } }, -38021],
    ["more than 256 blocks", { blockOverrides: { number: "0x1000" } }, -38026],
    ["value that nobody has", { calls: [{ from: ALICE, to: BOB, value: "0x1" }] }, -38014],
    ["too little gas", { calls: [{ from: ALICE, to: BOB, gas: "0x0" }] }, -38013],
    ["a full block", { blockOverrides: { gasLimit: "0x5208" }, calls: [{ to: BOB, gas: "0x5209" }] }, -38015],
  ])("refuses %s", async (_what, block, code) => {
    await expect(one(block)).rejects.toMatchObject({ code });
  });
});
