import { createRequire } from "node:module";
import type * as Helpers from "@nomicfoundation/hardhat-network-helpers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { type StartedNode, startNode } from "./started-node.ts";

// Required, not imported, so that the helpers and this test share the same network.
const require = createRequire(import.meta.url);
const helpers: typeof Helpers = require("@nomicfoundation/hardhat-network-helpers");
const hardhat = require("hardhat");
const {
  loadFixture,
  mine,
  mineUpTo,
  reset,
  setBalance,
  setCode,
  setNonce,
  setStorageAt,
  takeSnapshot,
  time,
} = helpers;
const stranger = "0x00000000000000000000000000000000000A11cE";
/** Stores PREVRANDAO and base fee in slots 0 and 1. */
const recorder = "0x4460005548600155";

let node: StartedNode;
const call = (method: string, ...params: unknown[]) => rpcCall(node.endpoints.http, method, ...params);
const height = async () => Number(await call("eth_blockNumber"));
const balance = async (address: string) =>
  BigInt((await call("eth_getBalance", address, "latest")) as string);

beforeAll(async () => {
  node = await startNode();
  hardhat.network.provider = {
    request: ({ method, params = [] }: { method: string; params?: unknown[] }) => call(method, ...params),
  };
});
afterAll(async () => {
  expect(await node.stop()).toBe(0);
});

describe("Hardhat's network helpers, unchanged", () => {
  it("mine blocks", async () => {
    const before = await height();
    await mine();
    await mine(10, { interval: 60 });
    await mineUpTo(before + 20);
    expect(await height()).toBe(before + 20);
  });

  it("change accounts", async () => {
    await setBalance(stranger, 10n ** 18n);
    await setNonce(stranger, 5);
    await setCode(stranger, "0x00");
    await setStorageAt(stranger, 3, 9);
    expect(await balance(stranger)).toBe(10n ** 18n);
    expect(await call("eth_getTransactionCount", stranger, "latest")).toBe("0x5");
    expect(BigInt(await helpers.getStorageAt(stranger, 3))).toBe(9n);
  });

  it("impersonate accounts, including contracts", async () => {
    await helpers.impersonateAccount(stranger);
    const transfer = { from: stranger, to: node.accounts[0]?.address, value: "0x1" };
    const hash = await call("eth_sendTransaction", transfer);
    await mine();
    expect(await call("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    await helpers.stopImpersonatingAccount(stranger);
    await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
  });

  it("change the time", async () => {
    const now = await time.latest();
    await time.increase(3600);
    expect(await time.latest()).toBeGreaterThanOrEqual(now + 3600);
    await time.increaseTo(now + 10_000);
    expect(await time.latest()).toBe(now + 10_000);
    await time.setNextBlockTimestamp(now + 20_000);
    await mine();
    expect(await time.latest()).toBe(now + 20_000);
    expect(await time.latestBlock()).toBe(await height());
  });

  it("set properties of the next block", async () => {
    await setCode(stranger, recorder);
    await helpers.setNextBlockBaseFeePerGas(7);
    await helpers.setPrevRandao(99);
    await helpers.setCoinbase(node.accounts[9]?.address as string);
    await helpers.setBlockGasLimit(30_000_000);
    const transaction = { from: node.accounts[0]?.address, to: stranger, gas: "0x30000", gasPrice: "0x7" };
    const hash = await call("eth_sendTransaction", transaction);
    await expect.poll(() => call("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
    expect(BigInt(await helpers.getStorageAt(stranger, 0))).toBe(99n);
    expect(BigInt(await helpers.getStorageAt(stranger, 1))).toBe(7n);
  });

  it("revert to snapshots repeatedly", async () => {
    const snapshot = await takeSnapshot();
    const before = [await height(), await balance(stranger)];
    for (let i = 0; i < 3; i++) {
      await setBalance(stranger, 5);
      await mine(3);
      await snapshot.restore();
      expect([await height(), await balance(stranger)]).toEqual(before);
    }
  });

  it("load fixtures once", async () => {
    let runs = 0;
    async function funded() {
      runs++;
      await setBalance(stranger, 123);
      return { address: stranger };
    }
    for (let i = 0; i < 3; i++) {
      const { address } = await loadFixture(funded);
      expect(await balance(address)).toBe(123n);
      await setBalance(address, 0);
    }
    expect(runs).toBe(1);
  });

  it("drop transactions and reset", async () => {
    await call("evm_setAutomine", false);
    const hash = await call("eth_sendTransaction", { from: node.accounts[0]?.address, to: stranger });
    expect(await helpers.dropTransaction(hash as string)).toBe(true);
    await reset();
    expect(await height()).toBe(0);
  });
});
