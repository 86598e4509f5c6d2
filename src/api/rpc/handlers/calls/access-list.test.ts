import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../../node/create-node.ts";

const GAS = 100_000n;
const BASE_FEE = 25_000_000_000n;
const poor = `0x${"55".repeat(20)}`;
/** Holds the fee of `GAS` above the base fee at twice the base fee. */
const modest = `0x${"66".repeat(20)}`;
const hex = (value: bigint) => `0x${value.toString(16)}`;
/** Reads slot 1. */
const reading = { data: "0x600154", gas: hex(GAS) };
const FOUND = { accessList: [], gasUsed: expect.any(String) };
const REFUSED =
  /^failed to apply transaction: 0x[0-9a-f]{64} err: insufficient balance of the fee payer to pay for gas$/;

let release: Node;
const list = (node: Node, call: object) =>
  node.provider.request({ method: "eth_createAccessList", params: [{ to: poor, ...call }, "latest"] });

beforeAll(async () => {
  release = await createNode({ compat: "kaia", lightKdf: true });
  const { provider } = release;
  const [from] = (await provider.request({ method: "eth_accounts" })) as [string];
  const tx = { from, to: modest, value: hex(GAS * BASE_FEE), gas: "0x5208" };
  await provider.request({ method: "eth_sendTransaction", params: [tx] });
  expect(await provider.request({ method: "eth_getBalance", params: [modest, "latest"] })).toBe(tx.value);
});
afterAll(() => release.stop());

/** The credit is that of the reference node v2.2.1: gas at the base fee, whatever the price. */
describe("the caller of eth_createAccessList, in the dialect of a release", () => {
  it("pays only the part of the price above the base fee", async () => {
    const call = { ...reading, gasPrice: hex(2n * BASE_FEE) };
    await expect(list(release, { ...call, from: poor })).rejects.toThrow(REFUSED);
    expect(await list(release, { ...call, from: modest })).toEqual(FOUND);
    await expect(list(release, { ...call, from: modest, gas: hex(GAS + 1n) })).rejects.toThrow(REFUSED);
  });

  it("needs money without a price, since the default one is above the base fee", async () => {
    await expect(list(release, { ...reading, from: poor })).rejects.toThrow(REFUSED);
    expect(await list(release, { ...reading, from: modest })).toEqual(FOUND);
  });

  it("needs no money at the base fee or where gas is free", async () => {
    for (const gasPrice of [hex(BASE_FEE), "0x0"])
      expect(await list(release, { ...reading, from: poor, gasPrice })).toEqual(FOUND);
  });

  it("pays the value itself from what is left", async () => {
    const gasPrice = hex(2n * BASE_FEE);
    const call = { gas: hex(GAS - 1n), gasPrice, from: modest };
    expect(await list(release, { ...call, value: hex(BASE_FEE) })).toEqual(FOUND);
    await expect(list(release, { ...call, value: hex(BASE_FEE + 1n) })).rejects.toThrow(
      "insufficient balance for transfer",
    );
  });
});

it("gives a caller without money its access list on a development chain", async () => {
  await using node = await createNode({ lightKdf: true });
  for (const price of [{}, { gasPrice: hex(2n * BASE_FEE) }])
    expect(await list(node, { ...reading, from: poor, ...price })).toEqual(FOUND);
});
