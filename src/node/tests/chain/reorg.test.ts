import { afterAll, beforeAll, expect, it } from "vitest";
import { createNode, type Node } from "../../index.ts";

let node: Node;
let from: string;
let to: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const hashOf = async (number: number) =>
  ((await call("eth_getBlockByNumber", `0x${number.toString(16)}`, false)) as { hash: string }).hash;
const transfer = (value: string) => ({ from, to, value, gas: "0x5208" });

beforeAll(async () => {
  node = await createNode();
  [from = "", to = ""] = (await call("eth_accounts")) as string[];
});
afterAll(() => node.stop());

it("replaces the newest blocks with as many others, without their transactions", async () => {
  const hashes = [];
  for (const value of ["0x1", "0x2", "0x3"]) hashes.push(await call("eth_sendTransaction", transfer(value)));
  const before = await Promise.all([1, 2, 3].map(hashOf));
  expect(await call("anvil_reorg", 2)).toBeNull();
  const after = await Promise.all([1, 2, 3].map(hashOf));
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
  expect(after[2]).not.toBe(before[2]);
  expect(await call("eth_blockNumber")).toBe("0x3");
  expect(await call("eth_getTransactionReceipt", hashes[0])).not.toBeNull();
  for (const hash of hashes.slice(1)) expect(await call("eth_getTransactionReceipt", hash)).toBeNull();
  expect(await call("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
  expect(await call("anvil_getAutomine")).toBe(true);
});

it("includes given transactions in the blocks they are given for, raw or not", async () => {
  const { raw } = (await call("eth_signTransaction", {
    ...transfer("0x7"),
    gasPrice: "0xba43b7400",
    nonce: await call("eth_getTransactionCount", from, "latest"),
  })) as { raw: string };
  await call("anvil_mine", "0x2");
  const replaced = [
    [raw, 0],
    [transfer("0x8"), "0x1"],
    [transfer("0x9"), 1],
  ];
  await call("anvil_reorg", "0x2", replaced);
  const counts = ["0x4", "0x5"].map((number) => call("eth_getBlockTransactionCountByNumber", number));
  expect(await Promise.all(counts)).toEqual(["0x1", "0x2"]);
});

it("rejects invalid requests before changing anything", async () => {
  const head = await hashOf(5);
  await expect(call("anvil_reorg", 6)).rejects.toThrow("the chain has 5 blocks: 6 cannot be replaced");
  await expect(call("anvil_reorg", 1, [[transfer("0x1"), 1]])).rejects.toThrow("there is no new block 1");
  await expect(call("anvil_reorg", 1, [transfer("0x1")])).rejects.toMatchObject({ code: -32602 });
  expect(await hashOf(5)).toBe(head);
  expect(await call("anvil_reorg", 0)).toBeNull();
  expect(await hashOf(5)).toBe(head);
});
