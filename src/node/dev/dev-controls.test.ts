import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../create-node.ts";

const STRANGER = "0x00000000000000000000000000000000000a11ce";
const OTHER = "0x0000000000000000000000000000000000000b0b";
const SLOT = `0x${"00".repeat(31)}07`;
/** Answers slot 7. */
const READER = "0x60075460005260206000f3";
const COIN = 10n ** 18n;

let node: Node;
beforeEach(async () => {
  node = await createNode();
});
afterEach(async () => {
  await node.stop();
});

const call = (method: string, ...params: unknown[]): Promise<unknown> =>
  node.provider.request({ method, params });
const hex = (value: bigint | number): string => `0x${value.toString(16)}`;
const balance = async (address: string, block: string = "latest"): Promise<bigint> =>
  BigInt((await call("eth_getBalance", address, block)) as string);
const own = (index: number): string => bytesToHex(node.dev?.accounts[index]?.address as Uint8Array);
const number = async (): Promise<number> => Number(await call("eth_blockNumber"));
const root = (): string => bytesToHex(node.chain.store.latest().root);

/** Sends and makes the block; whether mining is automatic does not matter. */
async function sent(method: string, tx: Record<string, unknown>): Promise<Record<string, string>> {
  const hash = await call(method, tx);
  await call("evm_mine");
  const receipt = await call("kaia_getTransactionReceipt", hash);
  return receipt as Record<string, string>;
}

describe("state edits", () => {
  it("change what is read at once, and what the next block builds on", async () => {
    await call("anvil_setBalance", STRANGER, hex(5n * COIN));
    await call("hardhat_setNonce", STRANGER, "0x9");
    await call("hardhat_setCode", OTHER, READER);
    await call("hardhat_setStorageAt", OTHER, "0x7", SLOT);
    expect(await number()).toBe(0);
    expect(await balance(STRANGER)).toBe(5n * COIN);
    expect(await call("eth_getTransactionCount", STRANGER, "latest")).toBe("0x9");
    expect(await call("eth_call", { to: OTHER }, "latest")).toBe(SLOT);
    await call("evm_mine");
    expect(await balance(STRANGER)).toBe(5n * COIN);
    expect(await call("eth_call", { to: OTHER }, "latest")).toBe(SLOT);
    node.chain.store.verify();
  });

  it("belong to the block after which they were made, in history too", async () => {
    await call("anvil_mine", "0x3");
    await call("anvil_setBalance", STRANGER, "0x1");
    await call("anvil_mine", "0x2");
    await call("anvil_setBalance", STRANGER, "0x2");
    await call("anvil_mine", "0x1");
    const history = await Promise.all([2, 3, 4, 5, 6].map((block) => balance(STRANGER, hex(block))));
    expect(history).toEqual([0n, 1n, 1n, 2n, 2n]);
    await call("anvil_rollback", "0x1");
    expect(await balance(STRANGER)).toBe(2n);
    await call("anvil_rollback", "0x1");
    expect(await balance(STRANGER)).toBe(1n);
    await call("anvil_rollback", "0x2");
    expect(await balance(STRANGER)).toBe(0n);
    node.chain.store.verify();
  });

  it("give an account a key that then decides about its signatures", async () => {
    const key = { keyType: 3, key: {} };
    await call("kairn_setAccountKey", own(1), key);
    expect(await call("kaia_getAccountKey", own(1), "latest")).toMatchObject({ keyType: 3 });
    const transfer = { from: own(1), to: STRANGER, value: "0x1" };
    await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("legacy account key");
    await call("kairn_setAccountKey", own(1), "0x01c0");
    expect((await sent("eth_sendTransaction", transfer))["status"]).toBe("0x1");
    await call("hardhat_setCode", OTHER, READER);
    await expect(call("kairn_setAccountKey", OTHER, "0x01c0")).rejects.toThrow("contract account");
  });
});

describe("snapshots", () => {
  it("bring back state, keys, pool, time, impersonation and blocks", async () => {
    await call("evm_setAutomine", false);
    await call("eth_sendTransaction", { from: own(0), to: STRANGER, value: "0x1" });
    await call("anvil_setBalance", STRANGER, "0x64");
    await call("anvil_impersonateAccount", STRANGER);
    const before = root();
    const pool = await call("txpool_content");
    const id = await call("evm_snapshot");
    expect(id).toBe("0x1");

    await call("anvil_setBalance", STRANGER, "0x65");
    await call("kairn_setAccountKey", own(1), { keyType: 3, key: {} });
    await call("anvil_stopImpersonatingAccount", STRANGER);
    await call("evm_increaseTime", 1_000_000);
    await call("anvil_mine", "0x3");
    await call("eth_sendTransaction", { from: own(2), to: STRANGER, value: "0x1" });
    await call("anvil_setBalance", OTHER, "0x1");
    expect(await call("evm_revert", id)).toBe(true);

    expect([await number(), root(), await balance(STRANGER)]).toEqual([0, before, 100n]);
    expect(await call("txpool_content")).toEqual(pool);
    expect(await call("kaia_getAccountKey", own(1), "latest")).toMatchObject({ keyType: 1 });
    await call("anvil_setBalance", STRANGER, hex(COIN));
    expect((await sent("eth_sendTransaction", { from: STRANGER, to: OTHER, value: "0x1" }))["status"]).toBe(
      "0x1",
    );
    expect(Math.abs(Number(node.chain.head.header.time) - Date.now() / 1000)).toBeLessThan(1000);
    expect(await call("evm_revert", id)).toBe(false);
    node.chain.store.verify();
  });

  it("nest a thousand deep, with blocks and without", async () => {
    await call("evm_setAutomine", false);
    const roots: string[] = [];
    for (let i = 0; i < 1000; i++) {
      roots.push(root());
      expect(await call("evm_snapshot")).toBe(hex(i + 1));
      await call("anvil_setBalance", STRANGER, hex(i + 1));
      if (i % 3 === 0) await call("kairn_setAccountKey", own(i % 10), { keyType: 3, key: {} });
      if (i % 2 === 0) await call("evm_mine");
    }
    expect(await number()).toBe(500);
    for (let i = 999; i > 500; i--) {
      expect(await call("evm_revert", hex(i + 1))).toBe(true);
      expect(root()).toBe(roots[i]);
    }
    expect(await call("evm_revert", "0x2")).toBe(true);
    expect([await number(), root()]).toEqual([1, roots[1]]);
    expect(await call("evm_revert", "0x3")).toBe(false);
    expect(await call("evm_revert", "0x1")).toBe(true);
    expect([await number(), root()]).toEqual([0, roots[0]]);
    node.chain.store.verify();
  }, 120_000);
});

describe("impersonation", () => {
  it("sends as a contract, and as nobody's account", async () => {
    await call("hardhat_setCode", OTHER, READER);
    for (const from of [STRANGER, OTHER]) {
      await call("anvil_setBalance", from, hex(COIN));
      const transfer = { from, to: own(0), value: "0x5" };
      await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
      expect(await call("hardhat_impersonateAccount", from)).toBe(true);
      expect(await sent("eth_sendTransaction", transfer)).toMatchObject({ status: "0x1", from });
      expect(await call("hardhat_stopImpersonatingAccount", from)).toBe(true);
      await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
    }
  });

  it("sends Kaia types, and pays for others", async () => {
    await call("anvil_autoImpersonateAccount", true);
    await call("anvil_setBalance", STRANGER, hex(COIN));
    const memo = { typeInt: 0x10, from: STRANGER, to: OTHER, value: "0x1", gas: "0x30000", input: "0x01" };
    expect(await sent("kaia_sendTransaction", memo)).toMatchObject({ status: "0x1", from: STRANGER });
    const delegated = {
      ...{
        typeInt: 0x09,
        from: own(0),
        to: OTHER,
        value: "0x2",
        gas: "0x30000",
        gasPrice: hex(50n * 10n ** 9n),
      },
      ...{ nonce: "0x0", feePayer: STRANGER },
    };
    const signed = (await call("kaia_signTransaction", delegated)) as { tx: { signatures: unknown[] } };
    const paid = await balance(STRANGER);
    const receipt = await sent("kaia_sendTransactionAsFeePayer", {
      ...delegated,
      signatures: signed.tx.signatures,
    });
    expect(receipt).toMatchObject({ status: "0x1", feePayer: STRANGER, from: own(0) });
    expect(await balance(STRANGER)).toBeLessThan(paid);
  });

  it("sends one transaction without asking for anything", async () => {
    await call("anvil_setBalance", STRANGER, hex(COIN));
    const transfer = { from: STRANGER, to: OTHER, value: "0x1" };
    expect((await sent("eth_sendUnsignedTransaction", transfer))["status"]).toBe("0x1");
    await expect(call("eth_sendTransaction", transfer)).rejects.toThrow("unknown account");
  });
});

describe("the next block", () => {
  it("has the base fee, rewards and randomness that were asked for, once", async () => {
    await call("hardhat_setNextBlockBaseFeePerGas", "0x7");
    await call("hardhat_setCoinbase", STRANGER);
    await call("hardhat_setPrevRandao", SLOT);
    await call("hardhat_setCode", OTHER, "0x4460005500");
    const receipt = await sent("eth_sendTransaction", {
      from: own(0),
      to: OTHER,
      gas: "0x30000",
      gasPrice: "0x7",
    });
    expect(receipt).toMatchObject({ status: "0x1", effectiveGasPrice: "0x7", blockNumber: "0x1" });
    expect(await call("eth_getStorageAt", OTHER, "0x0", "latest")).toBe(SLOT);
    expect(await balance(STRANGER)).toBeGreaterThan(9n * COIN);
    await call("evm_mine");
    const { baseFee, mixHash } = node.chain.head.header;
    expect([baseFee, mixHash]).toEqual([25_000_000_000n, undefined]);
  });

  it("has the time that was asked for", async () => {
    const times = async () => node.chain.head.header.time;
    await call("evm_setNextBlockTimestamp", 3_000_000_000);
    await call("evm_mine");
    expect(await times()).toBe(3_000_000_000n);
    await expect(call("evm_setNextBlockTimestamp", 3_000_000_000)).rejects.toThrow("not after");
    await call("anvil_mine", "0x3", "0x3c");
    expect(await times()).toBeGreaterThanOrEqual(3_000_000_120n);
    await call("anvil_setBlockTimestampInterval", 100);
    const before = await times();
    await call("anvil_mine", "0x2");
    expect((await times()) - before).toBe(200n);
    expect(await call("anvil_removeBlockTimestampInterval")).toBe(true);
    await call("evm_mine", { timestamp: 4_000_000_000, blocks: 2 });
    expect(await times()).toBe(4_000_000_001n);
  });
});

describe("the whole chain", () => {
  it("goes back to the genesis, also from a changed one", async () => {
    const genesis = root();
    await call("anvil_setBalance", STRANGER, "0x1");
    await call("anvil_setBalance", own(0), "0x0");
    await call("anvil_mine", "0x2");
    await call("hardhat_setCode", OTHER, READER);
    await call("evm_setAutomine", false);
    await call("eth_sendTransaction", { from: own(1), to: STRANGER });
    expect(await call("hardhat_reset")).toBe(true);
    expect([await number(), root(), await call("txpool_status")]).toEqual([
      0,
      genesis,
      { pending: "0x0", queued: "0x0" },
    ]);
    await expect(call("anvil_reset", { forking: { jsonRpcUrl: "http://localhost" } })).rejects.toThrow(
      "forking",
    );
  });

  it("is dumped and loaded elsewhere with an equal root", async () => {
    await call("hardhat_setCode", OTHER, READER);
    await call("hardhat_setStorageAt", OTHER, "0x7", SLOT);
    await call("kairn_setAccountKey", own(1), { keyType: 3, key: {} });
    await call("anvil_mine", "0x2");
    const dump = await call("anvil_dumpState");
    const other = await createNode();
    onTestFinished(() => other.stop());
    await other.provider.request({ method: "anvil_setBalance", params: [STRANGER, "0x1"] });
    await other.provider.request({ method: "anvil_loadState", params: [dump] });
    expect(bytesToHex(other.chain.store.latest().root)).toBe(root());
    other.chain.store.verify();
    await expect(call("anvil_loadState", "0x1234")).rejects.toThrow("not a state dump");
  });

  it("takes over a dump of anvil", async () => {
    const account = { nonce: 3, balance: "0x64", code: READER, storage: { "0x7": SLOT } };
    const dump = JSON.stringify({ block: {}, accounts: { [OTHER]: account }, best_block_number: "0x5" });
    await call("anvil_loadState", bytesToHex(new TextEncoder().encode(dump)));
    expect(await call("eth_call", { to: OTHER }, "latest")).toBe(SLOT);
    expect([await balance(OTHER), await balance(own(0))]).toEqual([100n, 10_000n * COIN]);
  });

  it("drops transactions", async () => {
    await call("evm_setAutomine", false);
    const hash = await call("eth_sendTransaction", { from: own(0), to: STRANGER });
    expect(await call("anvil_dropTransaction", hash)).toBe(hash);
    expect(await call("hardhat_dropTransaction", hash)).toBe(false);
    await call("eth_sendTransaction", { from: own(0), to: STRANGER });
    await call("eth_sendTransaction", { from: own(1), to: STRANGER });
    await call("anvil_removePoolTransactions", own(0));
    expect(await call("txpool_status")).toEqual({ pending: "0x1", queued: "0x0" });
    await call("anvil_dropAllTransactions");
    expect(await call("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
  });
});

describe("other chains", () => {
  it("have none of this", async () => {
    const { genesis, validatorKey } = node.dev as NonNullable<Node["dev"]>;
    await using plain = await createNode({ genesis, nodeKey: validatorKey });
    for (const method of ["evm_snapshot", "anvil_mine", "hardhat_reset", "kairn_setAccountKey"])
      await expect(plain.provider.request({ method, params: [] })).rejects.toThrow("does not exist");
    expect(await plain.provider.request({ method: "web3_clientVersion" })).toMatch(/^kairn/);
  });
});

describe("after a restart", () => {
  it("edits, impersonated transactions and history are as before", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "kairn-dev-"));
    try {
      await node.stop();
      node = await createNode({ dev: true, dataDir });
      await call("anvil_setBalance", STRANGER, hex(COIN));
      await call("hardhat_setCode", OTHER, READER);
      await call("hardhat_impersonateAccount", STRANGER);
      const { transactionHash } = await sent("eth_sendTransaction", {
        from: STRANGER,
        to: own(0),
        value: "0x5",
      });
      await call("anvil_setBalance", STRANGER, "0x7");
      const [before, shown] = [root(), await call("kaia_getTransactionByHash", transactionHash)];
      await node.stop();

      node = await createNode({ dev: true, dataDir });
      expect([root(), await balance(STRANGER)]).toEqual([before, 7n]);
      expect(await call("kaia_getTransactionByHash", transactionHash)).toEqual(shown);
      expect(shown).toMatchObject({ from: STRANGER });
      await expect(call("eth_sendTransaction", { from: STRANGER, to: OTHER, gas: "0x5208" })).rejects.toThrow(
        "unknown account",
      );
      await call("anvil_rollback", hex(node.chain.head.header.number));
      expect(await balance(STRANGER)).toBe(COIN);
      node.chain.store.verify();
    } finally {
      await node.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
