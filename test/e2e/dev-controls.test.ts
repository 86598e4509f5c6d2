import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  defineChain,
  http,
  parseEther,
  type Transport,
  toHex,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as Kairn from "../../src/node/index.ts";
import { type StartedNode, startNode } from "./started-node.ts";

const library = new URL("../../dist/index.js", import.meta.url).href;
const { createNode }: typeof Kairn = await import(library);

let started: StartedNode;
let inside: Kairn.Node;
beforeAll(async () => {
  started = await startNode();
  inside = await createNode();
});
afterAll(async () => {
  await inside.stop();
  expect(await started.stop()).toBe(0);
});

const chain = defineChain({
  id: 1337,
  name: "kairn",
  nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
  rpcUrls: { default: { http: ["http://127.0.0.1"] } },
});
const stranger = "0x00000000000000000000000000000000000a11ce";
const contract = "0x0000000000000000000000000000000000c0de00";
/** Returns slot 1. */
const reader = "0x60015460005260206000f3";

const places: readonly [string, () => Transport][] = [
  ["kairn dev over HTTP", () => http(started.endpoints.http)],
  // biome-ignore lint/suspicious/noExplicitAny: viem types every method of its own
  ["a node inside the program", () => custom(inside.provider as any)],
];
const cases = places.flatMap(([place, transport]) =>
  (["anvil", "hardhat"] as const).map((mode) => [mode, place, transport] as const),
);

describe.each(cases)("viem's %s actions on %s", (mode, _place, transportOf) => {
  function clients() {
    const options = { chain, transport: transportOf(), pollingInterval: 20 };
    return {
      test: createTestClient({ ...options, mode }),
      reader: createPublicClient({ ...options, cacheTime: 0 }),
      writer: createWalletClient(options),
    };
  }

  it("edit accounts", async () => {
    const { test, reader: read } = clients();
    await test.setBalance({ address: stranger, value: parseEther("3") });
    await test.setNonce({ address: stranger, nonce: 12 });
    await test.setCode({ address: contract, bytecode: reader });
    await test.setStorageAt({ address: contract, index: 1, value: toHex(77, { size: 32 }) });
    expect(await read.getBalance({ address: stranger })).toBe(parseEther("3"));
    expect(await read.getTransactionCount({ address: stranger })).toBe(12);
    expect(await read.getCode({ address: contract })).toBe(reader);
    expect((await read.call({ to: contract })).data).toBe(toHex(77, { size: 32 }));
  });

  it("mine, on demand and at intervals", async () => {
    const { test, reader: read } = clients();
    const before = await read.getBlockNumber();
    await test.mine({ blocks: 5, interval: 10 });
    expect(await read.getBlockNumber()).toBe(before + 5n);
    expect(await test.getAutomine()).toBe(true);
    await test.setAutomine(false);
    expect(await test.getAutomine()).toBe(false);
    await test.setIntervalMining({ interval: 1 });
    await test.setIntervalMining({ interval: 0 });
    await test.setAutomine(true);
    expect(await test.getAutomine()).toBe(true);
  });

  it("change the time", async () => {
    const { test, reader: read } = clients();
    const { timestamp } = await read.getBlock();
    await test.setNextBlockTimestamp({ timestamp: timestamp + 1_000n });
    await test.mine({ blocks: 1 });
    expect((await read.getBlock()).timestamp).toBe(timestamp + 1_000n);
    await test.increaseTime({ seconds: 500 });
    await test.mine({ blocks: 1 });
    expect((await read.getBlock()).timestamp).toBeGreaterThanOrEqual(timestamp + 1_500n);
    const last = (await read.getBlock()).timestamp;
    await test.setBlockTimestampInterval({ interval: 30 });
    await test.mine({ blocks: 2 });
    expect((await read.getBlock()).timestamp).toBe(last + 60n);
    await test.removeBlockTimestampInterval();
  });

  it("take and revert to snapshots", async () => {
    const { test, reader: read } = clients();
    await test.setBalance({ address: stranger, value: 1n });
    const number = await read.getBlockNumber();
    const id = await test.snapshot();
    await test.setBalance({ address: stranger, value: 2n });
    await test.mine({ blocks: 2 });
    await test.revert({ id });
    expect(await read.getBlockNumber()).toBe(number);
    expect(await read.getBalance({ address: stranger })).toBe(1n);
  });

  it("impersonate", async () => {
    const { test, reader: read, writer } = clients();
    await test.setBalance({ address: contract, value: parseEther("1") });
    await test.impersonateAccount({ address: contract });
    const hash = await writer.sendTransaction({ account: contract, to: stranger, value: 5n });
    const receipt = await read.waitForTransactionReceipt({ hash });
    expect([receipt.status, receipt.from]).toEqual(["success", contract]);
    await test.stopImpersonatingAccount({ address: contract });
    await expect(writer.sendTransaction({ account: contract, to: stranger })).rejects.toThrow(
      "unknown account",
    );
    const unsigned = await test.sendUnsignedTransaction({ from: contract, to: stranger, value: 1n });
    expect((await read.waitForTransactionReceipt({ hash: unsigned })).status).toBe("success");
  });

  it("set properties of the next block", async () => {
    const { test, reader: read } = clients();
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000n });
    await test.setCoinbase({ address: stranger });
    await test.setBlockGasLimit({ gasLimit: 30_000_000n });
    await test.setLoggingEnabled(false);
    await test.setBalance({ address: stranger, value: 0n });
    await test.mine({ blocks: 1 });
    expect((await read.getBlock()).baseFeePerGas).toBe(1_000n);
    expect(await read.getBalance({ address: stranger })).toBeGreaterThan(0n);
    await expect(test.setMinGasPrice({ gasPrice: 1n })).rejects.toThrow(
      "anvil_setMinGasPrice is not supported when EIP-1559 is active",
    );
  });

  it("inspect the pool and drop transactions", async () => {
    const { test, reader: read, writer } = clients();
    await test.setAutomine(false);
    const [account] = await writer.getAddresses();
    const hash = await writer.sendTransaction({ account: account as `0x${string}`, to: stranger, value: 1n });
    expect(await test.getTxpoolStatus()).toEqual({ pending: 1, queued: 0 });
    expect(Object.values((await test.getTxpoolContent()).pending)).toHaveLength(1);
    expect(Object.values((await test.inspectTxpool()).pending)).toHaveLength(1);
    await test.dropTransaction({ hash });
    expect(await test.getTxpoolStatus()).toEqual({ pending: 0, queued: 0 });
    await expect(read.getTransaction({ hash })).rejects.toThrow("could not be found");
    await test.setAutomine(true);
  });

  it("dump, reset and load", async () => {
    const { test, reader: read } = clients();
    await test.setBalance({ address: contract, value: 42n });
    const state = await test.dumpState();
    await test.reset();
    expect(await read.getBlockNumber()).toBe(0n);
    expect(await read.getBalance({ address: contract })).toBe(0n);
    await test.loadState({ state });
    expect(await read.getBalance({ address: contract })).toBe(42n);
    await test.reset();
  });
});
