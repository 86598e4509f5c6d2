import { afterEach, describe, expect, it } from "vitest";
import { readDapps } from "./dapp-file.ts";
import type { DappOptions } from "./dapps.ts";
import {
  balance,
  COIN,
  call,
  close,
  get,
  node,
  open,
  own,
  post,
  senderSigned,
  TO,
} from "./testing/fee-payer-node.ts";

afterEach(close);

/** Reverts. */
const REVERTER = "0x60006000fd";

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
    expect((await fetch(`${node().endpoints.feePayer}/nothing`)).status).toBe(404);
  });

  it("pays for many concurrently", async () => {
    await open();
    const raws = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((index) => senderSigned(index)));
    const answers = await Promise.all(raws.map((raw) => post(raw)));
    expect(answers.map(({ status }) => status)).toEqual(raws.map(() => 200));
  });

  it("allows calls from pages of this machine only", async () => {
    await open();
    const from = (origin: string) =>
      fetch(`${node().endpoints.feePayer}/api/balance`, { headers: { origin } });
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
    const answer = await fetch(`${node().endpoints.feePayer}/api/signAsFeePayer`, {
      ...{ method: "POST", body },
      headers: { "content-type": "application/json", ...headers },
    });
    expect(answer.status).toBe(status);
    expect(await balance(own(0))).toBe(before);
    expect(node().chain.head.header.number).toBe(0n);
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
