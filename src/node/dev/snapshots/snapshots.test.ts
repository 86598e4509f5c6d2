import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { PinnedState } from "../../../ledger/state/pinned-state.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";
import { dumpState, type PackLimits } from "../state/state-dump.ts";
import { COIN, devCalls, hex, OTHER, READER, SLOT, STRANGER } from "../testing/dev-calls.ts";

/** Seconds. */
const HOUR = 3600;
/** JUMPDEST PUSH1 0 JUMP: runs until its gas is used up, in a thread. */
const ENDLESS_INIT_CODE = "0x5b600056";

let node: Node;
beforeEach(async () => {
  node = await createNode();
});
afterEach(async () => {
  await node.stop();
});

const { call, balance, own, number, root, sent } = devCalls(() => node);

describe("snapshots", () => {
  it("restore state, keys, pool, time, impersonation and blocks", async () => {
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

  it("are dropped oldest first if there are too many, with an error that says so", async () => {
    await call("anvil_setBalance", STRANGER, "0x1");
    const first = (await call("evm_snapshot")) as string;
    await call("anvil_setBalance", STRANGER, "0x2");
    const second = (await call("evm_snapshot")) as string;
    await call("anvil_setBalance", STRANGER, "0x3");
    for (let i = 0; i < 9_999; i++) await call("evm_snapshot");
    await expect(call("evm_revert", first)).rejects.toThrow(
      "snapshot 0x1 was dropped: at most 10000 snapshots",
    );
    expect(await balance(STRANGER)).toBe(3n);
    expect(await call("evm_revert", second)).toBe(true);
    expect(await balance(STRANGER)).toBe(2n);
    node.chain.store.verify();
  });

  it("nest a thousand deep, with and without blocks, each restoring pool and time", async () => {
    await call("evm_setAutomine", false);
    const seen: { root: string; pool: unknown; offset: number }[] = [];
    const look = async () => ({
      root: root(),
      pool: await call("txpool_status"),
      offset: Number(await call("evm_increaseTime", 0)),
    });
    for (let i = 0; i < 1000; i++) {
      seen.push(await look());
      expect(await call("evm_snapshot")).toBe(hex(i + 1));
      await call("anvil_setBalance", STRANGER, hex(i + 1));
      if (i % 3 === 0) await call("kairn_setAccountKey", own(2 + (i % 8)), { keyType: 3, key: {} });
      if (i % 5 === 1) await call("eth_sendTransaction", { from: own(1), to: OTHER, gas: "0x5208" });
      await call("evm_increaseTime", HOUR);
      if (i % 2 === 0) await call("evm_mine");
    }
    expect(await number()).toBe(500);
    const isAsAt = async (index: number): Promise<void> => {
      const { root: before, pool, offset } = seen[index] as (typeof seen)[0];
      const now = await look();
      expect([now.root, now.pool]).toEqual([before, pool]);
      // The clock goes on from the snapshot, so it is behind by what the test took.
      expect(Math.abs(now.offset - offset)).toBeLessThan(HOUR / 2);
    };
    for (let i = 999; i > 500; i--) {
      expect(await call("evm_revert", hex(i + 1))).toBe(true);
      await isAsAt(i);
    }
    expect(await call("evm_revert", "0x2")).toBe(true);
    await isAsAt(1);
    expect(await number()).toBe(1);
    expect(await call("evm_revert", "0x3")).toBe(false);
    expect(await call("evm_revert", "0x1")).toBe(true);
    await isAsAt(0);
    expect(await number()).toBe(0);
    node.chain.store.verify();
  }, 120_000);
});

describe("the whole chain", () => {
  it("goes back to the genesis, even from an edited one", async () => {
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
  });

  it("is dumped and loaded elsewhere with the same root", async () => {
    await call("hardhat_setCode", OTHER, READER);
    await call("hardhat_setStorageAt", OTHER, "0x7", SLOT);
    // longer than a chunk of the dump's text
    for (const address of [STRANGER, `0x${"50".repeat(20)}`])
      await call("hardhat_setCode", address, `0x${"5b".repeat(50_000)}`);
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
    const [one, account] = [`0x${"ab".repeat(20)}`, { nonce: 0, balance: "0x1", storage: {} }];
    for (const accounts of [
      { [one]: { ...account, storage: { "0x1": "0x1", "0x01": "0x2" } } },
      { [one]: account, [`0x${"AB".repeat(20)}`]: account },
    ]) {
      const dump = bytesToHex(new TextEncoder().encode(JSON.stringify({ accounts })));
      await expect(call("anvil_loadState", dump)).rejects.toThrow("twice");
    }
  });

  it("is dumped while blocks are mined, and aborted when its caller disconnects", async () => {
    await call("hardhat_setCode", OTHER, READER);
    const { chain } = node;
    const mined: Promise<unknown>[] = [];
    let turns = 0;
    const pace = {
      isDue: () => true,
      async yield() {
        if (turns++ === 0) mined.push(call("anvil_mine", "0x1"));
        await Promise.all(mined);
      },
    };
    const before = chain.head.header.number;
    const dump = (limits: PackLimits) => {
      const block = { number: chain.head.header.number, isCanonical: () => true };
      const state = new PinnedState(chain.store, block, limits.pace);
      return dumpState(state, { number: block.number, chainId: 1n, isPart: false }, limits);
    };
    await dump({ pace, characters: 1_000_000 });
    expect(chain.head.header.number).toBe(before + 1n);
    const gone = {
      isDue: () => true,
      yield: () => Promise.reject(new Error("the caller has disconnected")),
    };
    await expect(dump({ pace: gone, characters: 1_000_000 })).rejects.toThrow("has disconnected");
    await expect(dump({ pace, characters: 1000 })).rejects.toMatchObject({ code: "STATE_SIZE" });
  });

  it("loads a dump written by anvil", async () => {
    const account = { nonce: 3, balance: "0x64", code: READER, storage: { "0x7": SLOT } };
    const dump = JSON.stringify({ block: {}, accounts: { [OTHER]: account }, best_block_number: "0x5" });
    await call("anvil_loadState", bytesToHex(new TextEncoder().encode(dump)));
    expect(await call("eth_call", { to: OTHER }, "latest")).toBe(SLOT);
    expect([await balance(OTHER), await balance(own(0))]).toEqual([100n, 10_000n * COIN]);
  });

  it("keeps the keys of accounts that a dump written by anvil leaves without a balance", async () => {
    await call("kairn_setAccountKey", own(1), { keyType: 3, key: {} });
    const dump = JSON.stringify({ block: {}, accounts: { [own(1)]: { nonce: 3, balance: "0x0" } } });
    await call("anvil_loadState", bytesToHex(new TextEncoder().encode(dump)));
    expect(await call("kaia_getAccountKey", own(1), "latest")).toMatchObject({ keyType: 3 });
    expect([await balance(own(1)), await call("eth_getTransactionCount", own(1))]).toEqual([0n, "0x3"]);
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

describe.each(["evm_revert", "anvil_reset"])("%s", (method) => {
  it("also removes the transactions of a block being built, even if head and state are unchanged", async () => {
    await using threaded = await createNode({ blockSliceMs: 0 });
    const { call, number, own } = devCalls(() => threaded);
    await call("evm_setAutomine", false);
    const id = await call("evm_snapshot");
    await call("eth_sendTransaction", { from: own(0), data: ENDLESS_INIT_CODE, gas: hex(100_000_000) });
    const mined = call("evm_mine");
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(await number()).toBe(0);
    await call(method, ...(method === "evm_revert" ? [id] : []));
    await mined;
    expect(await number()).toBe(1);
    expect(await call("eth_getBlockTransactionCountByNumber", "0x1")).toBe("0x0");
  });
});
