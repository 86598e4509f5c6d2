import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { decodeItem, encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { feePayerSigningHash } from "../../../protocol/transaction/hash.ts";
import { createNode, type Node } from "../../create-node.ts";
import type { FeePayerOptions } from "../../node-options.ts";
import { countedTimers } from "../../testing/counted-timers.ts";
import { readDapps } from "./dapp-file.ts";
import type { DappOptions } from "./dapps.ts";
import { type FeePayerParts, FeePayerService } from "./fee-payer-service.ts";

const TO = "0x0000000000000000000000000000000000000b0b";
const COIN = 10n ** 18n;
/** Reverts. */
const REVERTER = "0x60006000fd";

let node: Node;
afterEach(async () => {
  await node.stop();
});

async function open(feePayer: Partial<FeePayerOptions> = {}): Promise<void> {
  node = await createNode({ feePayer: { port: 0, ...feePayer } });
}

const call = (method: string, ...params: unknown[]): Promise<unknown> =>
  node.provider.request({ method, params });
const own = (index: number): string => bytesToHex(node.dev?.accounts[index]?.address as Uint8Array);
const balance = async (address: string): Promise<bigint> =>
  BigInt((await call("eth_getBalance", address, "latest")) as string);

/** A fee-delegated transfer that its sender has signed; `form` is how clients leave the fee payer open. */
async function senderSigned(
  index: number,
  more: object = {},
  form: "short" | "blank" = "short",
): Promise<string> {
  const nonce = await call("eth_getTransactionCount", own(index), "pending");
  const tx = {
    ...{ typeInt: 0x09, from: own(index), to: TO, value: "0x1", gas: "0x30000", gasPrice: "0xba43b7400" },
    ...{ nonce, feePayer: own(0) },
    ...more,
  };
  const { raw } = (await call("kaia_signTransaction", tx)) as { raw: string };
  const bytes = hexToBytes(raw);
  const items = (decodeItem(bytes.subarray(1)) as readonly Item[]).slice(0, -2);
  const blank: Item[] = [new Uint8Array(0), [[Uint8Array.of(1), new Uint8Array(0), new Uint8Array(0)]]];
  const payload = encodeItem(form === "short" ? items : [...items, ...blank]);
  return bytesToHex(concat(bytes.subarray(0, 1), payload));
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
async function post(raw: string | undefined, apiKey?: string): Promise<{ status: number; body: any }> {
  const response = await fetch(`${node.endpoints.feePayer}/api/signAsFeePayer`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(apiKey && { Authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify(raw === undefined ? {} : { userSignedTx: { raw } }),
  });
  return { status: response.status, body: await response.json() };
}

async function get(query: string, apiKey?: string): Promise<unknown> {
  const headers = { ...(apiKey && { Authorization: `Bearer ${apiKey}` }) };
  return (await fetch(`${node.endpoints.feePayer}/api/balance${query}`, { headers })).json();
}

describe("a fee payer open to everybody", () => {
  it("pays for both encodings of a sender-signed transaction and returns the receipt", async () => {
    await open();
    const [sender, payer] = [await balance(own(1)), await balance(own(0))];
    for (const form of ["short", "blank"] as const) {
      const { status, body } = await post(await senderSigned(1, {}, form));
      expect([status, body.message, body.status]).toEqual([200, "Request was successful", true]);
      expect(body.data).toMatchObject({ _type: "TransactionReceipt", status: 1, index: 0, logs: [] });
      expect(body.data.from.toLowerCase()).toBe(own(1));
      expect(body.data.gasUsed).toMatch(/^\d+$/);
    }
    expect(sender - (await balance(own(1)))).toBe(2n);
    expect(await balance(own(0))).toBeLessThan(payer);
    expect(await get("")).toEqual({ message: "Request was successful", data: true, status: true });
  });

  it("returns the receipt of a reverted transaction", async () => {
    await open();
    await call("hardhat_setCode", TO, REVERTER);
    const { status, body } = await post(await senderSigned(1, { typeInt: 0x31, input: "0x01" }));
    expect([status, body.message, body.error, body.status]).toEqual([
      200,
      "Transaction reverted",
      "REVERTED",
      false,
    ]);
    expect(body.data.status).toBe(0);
  });

  it("explains what is wrong", async () => {
    await open();
    expect((await post(undefined)).body.data).toContain("userSignedTx is required");
    for (const raw of ["0x1234", "nonsense", "0x08c0"]) {
      const { status, body } = await post(raw);
      expect([status, body.error]).toEqual([400, "BAD_REQUEST"]);
      expect(body.data).toContain("Failed to parse transaction");
    }
    expect((await post(await senderSigned(1, { gas: "0x2000000" }))).body.data).toContain(
      "Gas limit exceeds",
    );
    const stale = await senderSigned(1);
    await post(stale);
    const again = await post(stale);
    expect([again.status, again.body.error]).toEqual([500, "INTERNAL_ERROR"]);
    expect(again.body.data).toContain("nonce too low");
    expect((await fetch(`${node.endpoints.feePayer}/nothing`)).status).toBe(404);
  });

  it("pays for many concurrently", async () => {
    await open();
    const raws = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((index) => senderSigned(index)));
    const answers = await Promise.all(raws.map((raw) => post(raw)));
    expect(answers.map(({ status }) => status)).toEqual(raws.map(() => 200));
  });

  it("allows calls from pages of this machine only", async () => {
    await open();
    const from = (origin: string) => fetch(`${node.endpoints.feePayer}/api/balance`, { headers: { origin } });
    const allowed = (response: Response) => response.headers.get("access-control-allow-origin");
    expect(allowed(await from("http://localhost:3000"))).toBe("http://localhost:3000");
    expect(allowed(await from("https://example.com"))).toBeNull();
  });
});

describe("a fee payer rejects, before paying,", () => {
  it.each([
    ["a page of another site", { origin: "https://example.com" }, 403],
    ["a page without origin", { origin: "null" }, 403],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["text", { "content-type": "text/plain" }, 415],
    ["bytes of no type", { "content-type": "" }, 415],
  ])("%s", async (_, headers, status) => {
    await open();
    const before = await balance(own(0));
    const body = JSON.stringify({ userSignedTx: { raw: await senderSigned(1) } });
    const answer = await fetch(`${node.endpoints.feePayer}/api/signAsFeePayer`, {
      ...{ method: "POST", body },
      headers: { "content-type": "application/json", ...headers },
    });
    expect(answer.status).toBe(status);
    expect(await balance(own(0))).toBe(before);
    expect(node.chain.head.header.number).toBe(0n);
  });
});

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

  it("answers those that wait, and leaves no timer behind, when the node stops", async () => {
    const timers = countedTimers();
    node = await createNode({ feePayer: { port: 0 }, runtime: { ...systemRuntime, timers } });
    await call("evm_setAutomine", false);
    const waiting = post(await senderSigned(1, tx));
    await expect.poll(() => call("txpool_status")).toMatchObject({ pending: "0x1" });
    await node.stop();
    expect((await waiting).body.data).toBe("Transaction was failed");
    expect(timers.running()).toEqual([]);
  });

  it("settles a transaction whose block was removed before its receipt was read", async () => {
    await open();
    const raw = await senderSigned(1, tx);
    let reads = 0;
    const removed: FeePayerParts["request"] = (request) => {
      if (request.method === "eth_getTransactionReceipt" && reads++ === 0) return Promise.resolve(null);
      return node.provider.request(request);
    };
    const { chain } = node;
    const key = node.dev?.accounts[0]?.privateKey as Uint8Array;
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

describe("whatever a fee payer receives", () => {
  it("it signs only as fee payer, and only with its own account", async () => {
    await open();
    const valid = await Promise.all([1, 2].map((index) => senderSigned(index)));
    const signed: { role: string; feePayer: string }[] = [];
    const service = new FeePayerService({
      chain: { config: { chainId: 1337n }, locate: () => ({}) } as unknown as FeePayerParts["chain"],
      store: {} as FeePayerParts["store"],
      wallets: {
        async signTransaction(address, { tx, role }) {
          signed.push({ role, feePayer: bytesToHex(address) });
          expect(bytesToHex(tx.feePayer as Uint8Array)).toBe(own(0));
          throw new Error("as far as that");
        },
      },
      ...{ timers: systemRuntime.timers, clock: systemRuntime.clock, request: async () => "0xffff" },
      account: hexToBytes(own(0)),
    });
    const mutation = fc.record({
      raw: fc.constantFrom(...valid),
      at: fc.nat(400),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(mutation, async ({ raw, at, byte }) => {
        const bytes = hexToBytes(raw);
        bytes[at % bytes.length] = byte;
        const answer = service.sign(undefined, { userSignedTx: { raw: bytesToHex(bytes) } });
        await answer.catch((error: Error) => expect(error.message).toBe("as far as that"));
      }),
      { numRuns: 300 },
    );
    expect(signed.length).toBeGreaterThan(0);
    expect(new Set(signed.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ role: "feePayer", feePayer: own(0) })]),
    );
  });
});

describe("a fee payer for dApps", () => {
  const dapp = (more: Partial<DappOptions>): DappOptions => ({ name: "one", balance: COIN, ...more });

  it("requires a key or a whitelisted address", async () => {
    const keyed = dapp({ name: "keyed", apiKeys: ["secret"] });
    const listed = dapp({ name: "listed", contracts: [TO] });
    await open({ dapps: [keyed, listed] });
    expect((await post(await senderSigned(1), "wrong")).body.data).toBe("Invalid API key");
    expect((await post(await senderSigned(1), "secret")).status).toBe(200);
    expect((await post(await senderSigned(1))).status).toBe(200);
    const elsewhere = await senderSigned(1, { to: own(2) });
    expect((await post(elsewhere)).body.data).toBe("Contract or sender address are not whitelisted");
    expect(await get(`?address=${TO}`)).toMatchObject({ data: true });
    expect(await get("", "wrong")).toMatchObject({ data: "Invalid API key", status: false });
  });

  it("rejects dApps that are inactive, terminated or out of funds", async () => {
    const refusals = {
      inactive: dapp({ name: "inactive", apiKeys: ["inactive"], active: false }),
      terminated: dapp({ name: "terminated", apiKeys: ["terminated"], terminated: true }),
      balance: dapp({ name: "poor", apiKeys: ["balance"], balance: COIN / 10n }),
    };
    await open({ dapps: Object.values(refusals) });
    for (const key of Object.keys(refusals)) {
      const { status, body } = await post(await senderSigned(1), key);
      expect([status, body.data.toLowerCase()]).toEqual([400, expect.stringContaining(key)]);
    }
  });

  it("deducts its share of each fee from the dApp's balance", async () => {
    const share = { typeInt: 0x0a, feeRatio: 30 };
    await open({ dapps: [dapp({ apiKeys: ["k"], balance: COIN / 10n + 1n })] });
    const before = await balance(own(0));
    const { body } = await post(await senderSigned(1, share), "k");
    const fee = BigInt(body.data.gasUsed) * BigInt(body.data.gasPrice);
    expect(before - (await balance(own(0)))).toBe((fee * 30n) / 100n);
    expect((await post(await senderSigned(1, share), "k")).body.data).toContain("Insufficient balance");
  });
});

describe("the dApps file", () => {
  it("is rejected with an error that names the mistake", async () => {
    await open();
    expect(
      readDapps('[{"name":"a","balance":"0.5","senders":["0x0000000000000000000000000000000000000B0B"]}]'),
    ).toEqual([
      {
        name: "a",
        active: true,
        terminated: false,
        apiKeys: [],
        contracts: [],
        senders: [TO],
        balance: COIN / 2n,
      },
    ]);
    expect(() => readDapps("{}")).toThrow("not an array");
    expect(() => readDapps("[{}]")).toThrow("dApp 0: name");
    expect(() => readDapps('[{"name":"a","balance":"-1"}]')).toThrow("dApp 0: balance");
    expect(() => readDapps('[{"name":"a","balance":1,"contracts":["0x1"]}]')).toThrow("dApp 0: contracts");
  });
});
