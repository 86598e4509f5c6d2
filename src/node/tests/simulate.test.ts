import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../create-node.ts";

const [ALICE, BOB, CAROL] = ["c0", "c1", "c2"].map((byte) => `0x${byte.padEnd(40, "0")}`) as [
  string,
  string,
  string,
];
const TOKEN = `0x${"ee".repeat(20)}`;
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface Simulated {
  readonly number: string;
  readonly timestamp: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly stateRoot: string;
  readonly gasUsed: string;
  readonly miner: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly unknown[];
  readonly calls: readonly {
    readonly [member: string]: unknown;
    readonly logs: readonly { [member: string]: unknown }[];
  }[];
}

let node: Node;
const request = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const simulate = (simulation: Record<string, unknown>, block = "latest") =>
  request("eth_simulateV1", simulation, block) as Promise<Simulated[]>;
const one = (simulation: Record<string, unknown>) => simulate({ blockStateCalls: [simulation] });

beforeAll(async () => {
  node = await createNode();
  await request("evm_mine");
});
afterAll(() => node.stop());

const funded = { [ALICE]: { balance: "0x1388" } };

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
    const own = await createNode({ mining: { mode: "off" } });
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

  it("rejects requests beyond its limits", async () => {
    const many = (calls: number) => ({ calls: Array.from({ length: calls }, () => ({})) });
    const refused = (...blockStateCalls: object[]) => expect(simulate({ blockStateCalls })).rejects;
    await refused(...Array.from({ length: 257 }, () => ({}))).toMatchObject({ code: -38026 });
    await refused(many(5_001)).toMatchObject({ code: -38026 });
    await refused(many(2_501), many(2_500)).toMatchObject({ code: -38026 });
    const large = { stateOverrides: { [BOB]: { code: "0x620186a05ff3" } } };
    await refused({ ...large, calls: Array.from({ length: 121 }, () => ({ to: BOB })) }).toMatchObject({
      code: -32000,
      message: "the calls return and log more than 12000000 bytes",
    });
  });

  describe("with moved precompiled contracts", () => {
    const SHA256 = `0x${"02".padStart(40, "0")}`;
    const hashOf12 = "0x3a103a4e5729ad68c02a678ae39accfbc0ae208096437401b7ceab63cca0622f";
    const moved = (movePrecompileToAddress: string) => ({ movePrecompileToAddress });
    const returned = async (...blockStateCalls: object[]) =>
      (await simulate({ blockStateCalls })).map(({ calls }) => calls.map(({ returnData }) => returnData));
    const to = (address: string) => ({ to: address, input: "0x1234" });

    it("executes them at their new address for one block, also when called or delegated to by code", async () => {
      const ask = (operands: string, opcode: string) =>
        `0x36600060003760206000366000${operands}73${CAROL.slice(2)}5a${opcode}5060206000f3`;
      const calling = { [ALICE]: { code: ask("6000", "f1") }, [BOB]: { code: ask("", "f4") } };
      const calls = [to(CAROL), to(SHA256), to(ALICE), to(BOB)];
      expect(
        await returned(
          { stateOverrides: { [SHA256]: moved(CAROL), ...calling }, calls },
          { calls: [to(CAROL), to(SHA256)] },
        ),
      ).toEqual([
        [hashOf12, "0x", hashOf12, hashOf12],
        ["0x", hashOf12],
      ]);
    });

    it("leaves an ordinary account behind, which may have code and receive funds", async () => {
      const code = "0x602a60005260206000f3";
      const stateOverrides = { ...funded, [SHA256]: { code } };
      const sent = { ...to(SHA256), from: ALICE, value: "0x1" };
      expect(await returned({ stateOverrides, calls: [to(SHA256), sent] })).toEqual([
        [`0x${"2a".padStart(64, "0")}`, `0x${"2a".padStart(64, "0")}`],
      ]);
    });

    it("uses the last of two moved to one address, in the order of their own addresses", async () => {
      const identity = `0x${"04".padStart(40, "0")}`;
      const stateOverrides = { [identity]: moved(CAROL), [SHA256]: moved(CAROL) };
      expect(await returned({ stateOverrides, calls: [to(CAROL)] })).toEqual([["0x1234"]]);
    });

    it("rejects moving other accounts, or to an overridden account", async () => {
      const refused = (stateOverrides: object) => expect(one({ stateOverrides })).rejects;
      const shown = (text: string) => ({
        code: -32000,
        message: expect.stringMatching(new RegExp(text, "i")),
      });
      await refused({ [BOB]: moved(CAROL) }).toMatchObject(shown(`^account ${BOB} is not a precompile$`));
      await refused({ [SHA256]: moved(CAROL), ...{ [CAROL]: { nonce: "0x1" } } }).toMatchObject(
        shown(`^account ${CAROL} is already overridden$`),
      );
      await refused({ [SHA256]: moved(SHA256) }).toMatchObject(shown("already overridden$"));
    });
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

  it("reports failed calls and continues", async () => {
    const [block] = await one({
      stateOverrides: { [BOB]: { code: "0x60006000fd" }, [CAROL]: { code: "0xfe" } },
      calls: [{ to: BOB }, { to: CAROL, gas: "0x7530" }, { to: ALICE }],
    });
    expect(block?.calls.map(({ status, error }) => [status, error])).toEqual([
      ["0x0", { code: 3, message: "execution reverted", data: "0x" }],
      ["0x0", { code: -32015, message: expect.stringContaining("invalid opcode") }],
      ["0x1", undefined],
    ]);
  });

  it("shows transfers as logs in order, unless reverted", async () => {
    /** LOG0 of nothing, then sends 1 to CAROL, then LOG0; reverts when it is called with data. */
    const code = `0x60006000a060006000600060006001${`73${CAROL.slice(2)}`}5af15060006000a0361560395760006000fd5b00`;
    const jump = ((code.length - 2) / 2 - 2).toString(16);
    const fixed = code.replace("361560395", `361560${jump}5`);
    const [block] = await simulate({
      blockStateCalls: [
        {
          stateOverrides: { ...funded, [BOB]: { code: fixed } },
          calls: [
            { from: ALICE, to: BOB, value: "0x2" },
            { from: ALICE, to: BOB, value: "0x2", input: "0x01" },
          ],
        },
      ],
      traceTransfers: true,
    });
    const word = (address: string) => `0x${address.slice(2).padStart(64, "0")}`;
    expect(block?.calls[0]?.logs.map(({ address, topics, logIndex }) => [address, topics, logIndex])).toEqual(
      [
        [TOKEN, [TRANSFER, word(ALICE), word(BOB)], "0x0"],
        [BOB, [], "0x1"],
        [TOKEN, [TRANSFER, word(BOB), word(CAROL)], "0x2"],
        [BOB, [], "0x3"],
      ],
    );
    expect(block?.calls[1]).toMatchObject({ status: "0x0", logs: [] });
  });

  it("shows full transactions with their senders", async () => {
    const [block] = await simulate({
      blockStateCalls: [{ stateOverrides: funded, calls: [{ from: ALICE, to: BOB, value: "0x1" }] }],
      returnFullTransactions: true,
    });
    const { hash } = block as Simulated;
    expect(block?.transactions).toEqual([
      expect.objectContaining({
        from: ALICE,
        to: BOB,
        value: "0x1",
        nonce: "0x0",
        type: "0x2",
        blockHash: hash,
      }),
    ]);
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

  it("checks nonces and prices if it validates", async () => {
    const validated = (call: Record<string, unknown>) =>
      simulate({
        blockStateCalls: [
          { stateOverrides: { [ALICE]: { balance: "0xffffffffffffffffff", nonce: "0x5" } }, calls: [call] },
        ],
        validation: true,
      });
    const tx = {
      from: ALICE,
      to: BOB,
      gas: "0x5208",
      maxFeePerGas: "0x174876e800",
      maxPriorityFeePerGas: "0x0",
    };
    await expect(validated({ ...tx, nonce: "0x4" })).rejects.toMatchObject({ code: -38010 });
    await expect(validated({ ...tx, nonce: "0x6" })).rejects.toMatchObject({ code: -38011 });
    await expect(validated({ ...tx, maxFeePerGas: "0x1" })).rejects.toMatchObject({ code: -38012 });
    expect((await validated({ ...tx, nonce: "0x5" }))[0]?.calls[0]).toMatchObject({ status: "0x1" });
    await expect(validated({ from: ALICE, to: BOB })).rejects.toMatchObject({
      code: -38012,
      message: expect.stringContaining("max fee per gas less than block base fee"),
    });
  });

  it("charges nothing for a call without a price if it does not validate, whatever the base fee", async () => {
    const [block] = await one({
      blockOverrides: { baseFeePerGas: "0xa" },
      calls: [{ from: CAROL, to: CAROL, maxFeePerGas: "0x0", maxPriorityFeePerGas: "0x0" }],
    });
    expect(block).toMatchObject({ baseFeePerGas: "0xa", calls: [{ status: "0x1", gasUsed: "0x5208" }] });
  });

  it("accepts prevRandao as a number and as 32 bytes", async () => {
    const returnsRandao = "0x4460005260206000f3";
    const seen = async (prevRandao: string) =>
      (
        await one({
          blockOverrides: { prevRandao },
          stateOverrides: { [TOKEN]: { code: returnsRandao } },
          calls: [{ to: TOKEN }],
        })
      )[0]?.calls[0]?.["returnData"];
    const word = `0x${"1234".padStart(64, "0")}`;
    expect(await seen(word)).toBe(word);
    expect(await seen("0x1234")).toBe(word);
    await expect(seen("0x01234")).rejects.toMatchObject({ code: -32602 });
  });

  it("is limited by the gas cap of a call", async () => {
    const loop = { stateOverrides: { [BOB]: { code: "0x5b600056" } }, calls: [{ to: BOB }, { to: BOB }] };
    await expect(one(loop)).rejects.toMatchObject({ code: -38013 });
  });
});
