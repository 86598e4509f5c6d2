import { afterAll, beforeAll, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

/** Writes slot 0, and slots 1 and 2 before it unless slot 0 is empty. */
const DEARER_LATER = "0x60005415601157600160015560016002555b6001600055";
const contract = `0x${"77".repeat(20)}`;
const poor = `0x${"55".repeat(20)}`;
const PRICE = 50_000_000_000n;

let node: Node;
let own: string;
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const hex = (value: bigint) => `0x${value.toString(16)}`;

beforeAll(async () => {
  node = await createNode();
  [own = ""] = (await call("eth_accounts")) as string[];
  await call("anvil_setCode", contract, DEARER_LATER);
  await call("anvil_autoImpersonateAccount", true);
});
afterAll(() => node.stop());

async function sendWithoutGas(tx: object): Promise<bigint> {
  await call("evm_setAutomine", false);
  const hash = await call("eth_sendTransaction", tx);
  const { gas } = (await call("eth_getTransactionByHash", hash)) as { gas: string };
  await call("anvil_dropTransaction", hash);
  return BigInt(gas);
}

const estimate = async (tx: object) => BigInt((await call("eth_estimateGas", tx)) as string);

it("leaves headroom for a transaction that gets more expensive before it is included", async () => {
  await call("evm_setAutomine", false);
  const hash = await call("eth_sendTransaction", { from: own, to: contract });
  await call("anvil_setStorageAt", contract, "0x0", `0x${"00".repeat(31)}01`);
  await call("evm_mine");
  expect(await call("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  expect(await call("eth_getStorageAt", contract, "0x2", "latest")).toMatch(/1$/);
  await call("anvil_setStorageAt", contract, "0x0", `0x${"00".repeat(32)}`);
});

it("adds a million gas, more if the estimate is larger, and none for plain transfers", async () => {
  const small = { from: own, to: contract };
  expect(await sendWithoutGas(small)).toBe((await estimate(small)) + 1_000_000n);
  // Each byte of init code that is not zero costs at least 40 gas.
  const large = { from: own, data: `0x00${"11".repeat(40_000)}` };
  expect(await estimate(large)).toBeGreaterThan(1_000_000n);
  expect(await sendWithoutGas(large)).toBe(2n * (await estimate(large)));
  expect(await sendWithoutGas({ from: own, to: own, value: "0x1" })).toBe(21_000n);
});

it("never exceeds the sender's balance", async () => {
  const value = 7n;
  const tx = { from: poor, to: contract, value: hex(value), gasPrice: hex(PRICE) };
  await call("anvil_setBalance", poor, hex(10n ** 18n));
  const least = await estimate(tx);
  await call("anvil_setBalance", poor, hex(value + (least + 100n) * PRICE));
  expect(await sendWithoutGas(tx)).toBe(least + 100n);
  await call("anvil_setBalance", poor, hex(value + least * PRICE));
  expect(await sendWithoutGas(tx)).toBe(least);
});

it("in a release's dialect, fills in the plain estimate", async () => {
  const release = await createNode({ compat: "kaia" });
  try {
    const ask = (method: string, ...params: unknown[]) => release.provider.request({ method, params });
    await ask("anvil_setCode", contract, DEARER_LATER);
    const [from] = (await ask("eth_accounts")) as string[];
    const tx = { from, to: contract };
    const expected = await ask("eth_estimateGas", tx);
    const hash = await ask("eth_sendTransaction", tx);
    expect(await ask("eth_getTransactionByHash", hash)).toMatchObject({ gas: expected });
  } finally {
    await release.stop();
  }
});
