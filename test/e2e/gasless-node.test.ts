import { readFileSync } from "node:fs";
import { type Address, encodeFunctionData, type Hex, keccak256, maxUint256, numberToHex, pad } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type * as Kairn from "../../src/node/index.ts";
import { compile, token } from "./token.ts";

const { createNode }: typeof Kairn = await import(new URL("../../dist/index.js", import.meta.url).href);

const REGISTRY = "0x0000000000000000000000000000000000000401";
const TOKEN = "0x0000000000000000000000000000000000070ce7";
const ROUTER = "0x000000000000000000000000000000000000507e";
const router = compile("gasless.sol", "SwapRouter");
const COIN = 10n ** 18n;
const PRICE = 50_000_000_000n;
const REPAY = (21_000n + 100_000n + 300_000n) * PRICE;
const [first, second] = [1, 2].map((i) => privateKeyToAccount(pad(numberToHex(i)))) as [
  PrivateKeyAccount,
  PrivateKeyAccount,
];

const fixture = (path: string) =>
  readFileSync(new URL(`../fixtures/golden/genesis/${path}`, import.meta.url), "utf8");
const word = (value: Hex | bigint) => pad(typeof value === "bigint" ? numberToHex(value) : value);
const slotOf = (owner: Address) => keccak256(`${word(owner)}${word(1n).slice(2)}`);

/** A recorded genesis with a token, of which two accounts own ten, and a router listed in the registry. */
function genesis(): never {
  const json = JSON.parse(fixture("kaia-2.2.1.json"));
  const contracts = {
    [REGISTRY]: { code: compile("gasless.sol", "Registry").code, storage: { [word(0n)]: word(ROUTER) } },
    [TOKEN]: {
      code: token.code,
      storage: { [slotOf(first.address)]: word(10n * COIN), [slotOf(second.address)]: word(10n * COIN) },
    },
    [ROUTER]: {
      code: router.code,
      balance: numberToHex(100n * COIN),
      storage: { [word(0n)]: word(1n), [keccak256(word(0n))]: word(TOKEN) },
    },
  };
  for (const [address, account] of Object.entries(contracts))
    json.alloc[address.slice(2)] = { balance: "0x0", ...account };
  return json as never;
}

let node: Awaited<ReturnType<typeof createNode>>;
beforeAll(async () => {
  const nodeKey = Buffer.from(fixture("nodekey").trim(), "hex");
  node = await createNode({
    genesis: genesis(),
    nodeKey,
    sealing: { kind: "interval", intervalMs: 20 },
  });
});
afterAll(() => node.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of many methods
const call = (method: string, ...params: unknown[]): Promise<any> =>
  node.provider.request({ method, params });
const send = (raw: Hex): Promise<Hex> => call("eth_sendRawTransaction", raw);

const sign = (from: PrivateKeyAccount, nonce: number, to: Address, data: Hex, gas: bigint) =>
  from.signTransaction({ type: "legacy", chainId: 2019, nonce, to, data, gas, gasPrice: PRICE });

function approval(from: PrivateKeyAccount) {
  const data = encodeFunctionData({ ...token, functionName: "approve", args: [ROUTER, maxUint256] });
  return sign(from, 0, TOKEN, data, 100_000n);
}

function swap(from: PrivateKeyAccount) {
  const args = [TOKEN, COIN, COIN, REPAY, 2n ** 40n];
  const data = encodeFunctionData({ ...router, functionName: "swapForGas", args });
  return sign(from, 1, ROUTER, data, 300_000n);
}

async function included(hash: Hex) {
  for (;;) {
    const receipt = await call("eth_getTransactionReceipt", hash);
    if (receipt !== null) return receipt;
    await new Promise(setImmediate);
  }
}

it("lends fees on a production chain, and accepts a part of a bundle once", async () => {
  const raws = [await approval(first), await swap(first)];
  expect(await call("debug_isGaslessTx", raws)).toEqual({ isGasless: true, reason: null });
  const [, hash] = [await send(raws[0] as Hex), await send(raws[1] as Hex)];
  const { status, blockNumber } = await included(hash as Hex);
  expect(status).toBe("0x1");
  const { transactions } = await call("eth_getBlockByNumber", blockNumber, true);
  expect(transactions.map(({ from }: { from: Address }) => from)).toEqual([
    "0x9712f943b296758aaae79944ec975884188d3a96",
    ...[first, first].map(({ address }) => address.toLowerCase()),
  ]);
  await expect(send(raws[0] as Hex)).rejects.toThrowError("cannot add known bundle tx during cooldown");
});

it("shows the loan in the pending block", async () => {
  await call("miner_stop");
  for (const raw of [await swap(second), await approval(second)]) await send(raw);
  expect(await call("eth_getBlockTransactionCountByNumber", "pending")).toBe("0x3");
  expect(BigInt(await call("eth_getBalance", second.address, "pending"))).toBeGreaterThan(0n);
  await call("miner_start");
});
