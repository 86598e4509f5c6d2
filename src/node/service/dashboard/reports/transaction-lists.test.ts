import { afterAll, beforeAll, expect, it } from "vitest";
import { NO_NAMES } from "../../../../api/artifacts/names.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../../create-node.ts";
import { TransactionLists } from "./transaction-lists.ts";

const SENT = 12;
let node: Node;
let lists: TransactionLists;
let from: string;
let waited = 0;
const pace: Pace = {
  isDue: () => true,
  yield: async () => {
    waited++;
  },
};

/** Twelve transfers of one account in one block. */
beforeAll(async () => {
  node = await createNode({ dev: true });
  const request = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  await request("evm_setAutomine", false);
  [from] = (await request("eth_accounts")) as [string];
  for (let nonce = 0; nonce < SENT; nonce++)
    await request("eth_sendTransaction", { from, to: from, value: "0x1", nonce: `0x${nonce.toString(16)}` });
  await request("evm_mine");
  lists = new TransactionLists(node.chain, () => ({ chainId: node.chain.config.chainId, names: NO_NAMES }));
});
afterAll(() => node?.stop());

it("yields between two transactions of a block, and reads no more of them than it shows", async () => {
  waited = 0;
  expect((await lists.ofBlock({ number: 1, count: 3, from: 4 }, pace)).map(({ index }) => index)).toEqual([
    4, 5, 6,
  ]);
  expect(waited).toBe(3);
  expect((await lists.newest({ count: 2 }, pace)).map(({ index }) => index)).toEqual([11, 10]);
  expect(await lists.ofBlock({ number: 1, count: 100, from: 11 }, pace)).toHaveLength(1);
  expect(await lists.ofBlock({ number: 9, count: 1 }, pace)).toEqual([]);
});

it("ends when its caller disconnects", async () => {
  const gone: Pace = { isDue: () => true, yield: () => Promise.reject(new Error("left")) };
  await expect(lists.ofBlock({ number: 1, count: 3 }, gone)).rejects.toThrow("left");
});

it("shows each transaction of a sender on exactly one page", async () => {
  const address = hexToBytes(from);
  const seen: number[] = [];
  for (let before: bigint | undefined, pages = 0; pages < 5; pages++) {
    const { rows, next } = await lists.ofSender({ address, count: 5, before }, pace);
    seen.push(...rows.map(({ index }) => index));
    if (next === null) break;
    before = BigInt(next);
  }
  expect(seen).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

it("pages through nonces that no number of JavaScript can tell apart", async () => {
  const request = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  const [, other] = (await request("eth_accounts")) as [string, string];
  const first = 2n ** 53n;
  await request("anvil_setNonce", other, `0x${first.toString(16)}`);
  for (let i = 0n; i < 4n; i++)
    await request("eth_sendTransaction", {
      ...{ from: other, to: from, value: "0x1" },
      nonce: `0x${(first + i).toString(16)}`,
    });
  await request("evm_mine");
  const address = hexToBytes(other);
  const seen: number[] = [];
  const cursors: (string | null)[] = [];
  for (let before: bigint | undefined; ; ) {
    const { rows, next } = await lists.ofSender({ address, count: 1, before }, pace);
    seen.push(...rows.map(({ index }) => index));
    cursors.push(next);
    if (next === null || cursors.length > 9) break;
    before = BigInt(next);
  }
  expect(seen).toEqual([3, 2, 1, 0]);
  expect(cursors.slice(0, 2)).toEqual(["0x20000000000003", "0x20000000000002"]);
});
