import { afterEach, describe, expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { feePayerSigningHash } from "../../../protocol/transaction/hash.ts";
import { countedTimers } from "../../testing/counted-timers.ts";
import { type FeePayerParts, FeePayerService } from "./fee-payer-service.ts";
import {
  balance,
  COIN,
  call,
  close,
  node,
  open,
  own,
  post,
  senderSigned,
  TO,
} from "./testing/fee-payer-node.ts";

afterEach(close);

describe("a fee payer with daily limits", () => {
  it("pays no more than that for each sender and for all of them", async () => {
    const tx = { gas: "0x8000", gasPrice: "0x5d21dba00" };
    const cost = BigInt(tx.gas) * BigInt(tx.gasPrice);
    await open({ dailyLimit: 3n * cost, dailySenderLimit: cost });
    const texts: string[] = [];
    for (const index of [1, 1, 2, 3, 4]) {
      const { body } = await post(await senderSigned(index, tx));
      texts.push(body.status ? "paid" : body.data);
    }
    expect(texts).toEqual([
      ...["paid", "Daily limit of the sender is reached", "paid", "paid"],
      "Daily limit is reached",
    ]);
  });
});

describe("a fee payer with limits, called by strangers,", () => {
  const tx = { gas: "0x8000", gasPrice: "0x5d21dba00" };
  const cost = BigInt(tx.gas) * BigInt(tx.gasPrice);

  it("charges nothing for transactions queued behind a nonce gap", async () => {
    await open({ dailyLimit: cost });
    const answers = await Promise.all(
      [1, 2, 3].map(async (index) => post(await senderSigned(index, { ...tx, nonce: "0x1" }))),
    );
    for (const { status, body } of answers) expect([status, body.data]).toEqual([400, "nonce too high"]);
    expect((await post(await senderSigned(4, tx))).status).toBe(200);
  });

  it("accepts two of one sender in any order", async () => {
    await open();
    const [first, second] = [
      await senderSigned(1, { ...tx, nonce: "0x0" }),
      await senderSigned(1, { ...tx, nonce: "0x1" }),
    ];
    const answers = await Promise.all([post(second), post(first)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("refunds the charge for a transaction that its sender replaced", async () => {
    await open({ dailyLimit: cost });
    await call("evm_setAutomine", false);
    const replaced = post(await senderSigned(1, tx));
    await expect.poll(() => call("txpool_status")).toMatchObject({ pending: "0x1" });
    expect((await post(await senderSigned(2, tx))).body.data).toBe("Daily limit is reached");
    const own1 = { from: own(1), to: TO, nonce: "0x0", gas: tx.gas };
    await call("eth_sendTransaction", { ...own1, gasPrice: "0xba43b7400" });
    await call("evm_mine");
    expect((await replaced).body.data).toBe("Transaction was failed");
    await call("evm_setAutomine", true);
    expect((await post(await senderSigned(2, tx))).status).toBe(200);
  });

  it("refunds the charge for a transaction that evm_revert undid, not for one that is pending again", async () => {
    await open({ dailyLimit: 2n * cost });
    await call("evm_setAutomine", false);
    const kept = post(await senderSigned(1, tx));
    await expect.poll(() => call("txpool_status")).toMatchObject({ pending: "0x1" });
    const snapshot = await call("evm_snapshot");
    const undone = post(await senderSigned(2, tx));
    await expect.poll(() => call("txpool_status")).toMatchObject({ pending: "0x2" });
    expect((await post(await senderSigned(3, tx))).body.data).toBe("Daily limit is reached");
    await call("evm_revert", snapshot);
    expect((await undone).body.data).toBe("Transaction was failed");
    await call("evm_setAutomine", true);
    expect((await post(await senderSigned(3, tx))).status).toBe(200);
    expect((await kept).status).toBe(200);
    expect((await post(await senderSigned(4, tx))).body.data).toBe("Daily limit is reached");
  });

  it("responds to waiting callers, and leaves no timer behind, when the node stops", async () => {
    const timers = countedTimers();
    await open({}, { runtime: { ...systemRuntime, timers } });
    await call("evm_setAutomine", false);
    const waiting = post(await senderSigned(1, tx));
    await expect.poll(() => call("txpool_status")).toMatchObject({ pending: "0x1" });
    await node().stop();
    expect((await waiting).body.data).toBe("Transaction was failed");
    expect(timers.running()).toEqual([]);
  });

  it("signs no more than a thousand at a time, however many arrive together, and then further ones", async () => {
    await open();
    const raw = await senderSigned(1, tx);
    const ends: ((error: Error) => void)[] = [];
    const { chain } = node();
    const service = new FeePayerService({
      ...{ chain, store: chain.store, account: hexToBytes(own(0)), request: async () => "0x0" },
      wallets: { signTransaction: () => new Promise((_, reject) => ends.push(reject)) },
      ...{ timers: systemRuntime.timers, clock: systemRuntime.clock },
    });
    const sign = () => service.sign(undefined, { userSignedTx: { raw } });
    const answers = Array.from({ length: 1001 }, sign);
    expect(await Promise.any(answers)).toMatchObject({ status: 500 });
    expect(ends).toHaveLength(1000);
    for (const end of ends) end(new Error("no signature"));
    await Promise.allSettled(answers);
    void sign().catch(() => {});
    await expect.poll(() => ends.length).toBe(1001);
    ends.at(-1)?.(new Error("no signature"));
  });

  it("charges the most that it may cost if its receipt cannot be read", async () => {
    await open();
    const raw = await senderSigned(1, tx);
    const { chain } = node();
    const key = node().dev?.accounts[0]?.privateKey as Uint8Array;
    const failing: FeePayerParts["request"] = (request) =>
      request.method === "eth_getTransactionReceipt"
        ? Promise.reject(new Error("damaged"))
        : node().provider.request(request);
    const service = new FeePayerService({
      ...{ chain, store: chain.store, account: hexToBytes(own(0)), request: failing },
      wallets: {
        signTransaction: async (_, { tx, chainId }) => [sign(feePayerSigningHash(tx, chainId), key)],
      },
      ...{ timers: systemRuntime.timers, clock: systemRuntime.clock, limits: { dailyLimit: cost } },
    });
    await expect(service.sign(undefined, { userSignedTx: { raw } })).rejects.toThrow("damaged");
    const next = { userSignedTx: { raw: await senderSigned(2, tx) } };
    expect((await service.sign(undefined, next)).body).toMatchObject({ data: "Daily limit is reached" });
  });

  it("settles a transaction whose block was removed before its receipt was read", async () => {
    await open();
    const raw = await senderSigned(1, tx);
    let reads = 0;
    const removed: FeePayerParts["request"] = (request) => {
      if (request.method === "eth_getTransactionReceipt" && reads++ === 0) return Promise.resolve(null);
      return node().provider.request(request);
    };
    const { chain } = node();
    const key = node().dev?.accounts[0]?.privateKey as Uint8Array;
    const service = new FeePayerService({
      ...{ chain, store: chain.store, account: hexToBytes(own(0)), request: removed },
      wallets: {
        signTransaction: async (_, { tx, chainId }) => [sign(feePayerSigningHash(tx, chainId), key)],
      },
      ...{ timers: systemRuntime.timers, clock: systemRuntime.clock },
    });
    const { body } = await service.sign(undefined, { userSignedTx: { raw } });
    expect([body["status"], reads]).toEqual([true, 2]);
  });

  it("pays no more than a dApp has left, whatever gas price a sender offers", async () => {
    await open({ dapps: [{ name: "one", apiKeys: ["k"], balance: COIN }] });
    const before = await balance(own(0));
    const dear = { gas: "0x1c9c380", gasPrice: `0x${(10n ** 12n).toString(16)}` }; // 30 KAIA at most
    const { status, body } = await post(await senderSigned(1, dear), "k");
    expect([status, body.data]).toEqual([400, expect.stringContaining("Insufficient balance")]);
    expect(await balance(own(0))).toBe(before);
    expect((await post(await senderSigned(1, tx), "k")).status).toBe(200);
  });

  it("keeps each dApp's pending transactions until they are in a block", async () => {
    await open({ dapps: [{ name: "one", apiKeys: ["k"], balance: COIN / 10n + cost }] });
    await call("evm_setAutomine", false);
    const waiting = post(await senderSigned(1, tx), "k");
    await expect.poll(() => call("txpool_status")).toMatchObject({ pending: "0x1" });
    expect((await post(await senderSigned(2, tx), "k")).body.data).toContain("Insufficient balance");
    await call("evm_mine");
    expect((await waiting).status).toBe(200);
    await call("evm_setAutomine", true);
    expect((await post(await senderSigned(2, tx), "k")).status).toBe(200);
  });
});
