import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";
import {
  ALICE,
  BOB,
  CAROL,
  funded,
  requestsTo,
  type Simulated,
  TOKEN,
  TRANSFER,
} from "../../testing/simulation.ts";

let node: Node;
const { request, simulate, one } = requestsTo(() => node);
beforeAll(async () => {
  node = await createNode();
  await request("evm_mine");
});
afterAll(() => node.stop());

describe("eth_simulateV1", () => {
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
