import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../../node/create-node.ts";

let node: Node;
let from: string;
const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });

beforeAll(async () => {
  node = await createNode({ sealing: { kind: "manual" }, lightKdf: true });
  [from] = (await ask("eth_accounts")) as [string];
});
afterAll(() => node.stop());

describe("sending", () => {
  it("assigns 100 concurrent transactions 100 nonces, in order of arrival", async () => {
    const sends = Array.from({ length: 100 }, (_, i) =>
      ask(i % 2 === 0 ? "eth_sendTransaction" : "kaia_sendTransaction", {
        from,
        to: from,
        value: `0x${i.toString(16)}`,
      }),
    );
    const hashes = await Promise.all(sends);
    const sent = await Promise.all(hashes.map((hash) => ask("kaia_getTransactionByHash", hash)));
    expect(sent.map((tx) => Number((tx as { nonce: string }).nonce))).toEqual(sends.map((_, i) => i));
    expect(await ask("eth_getTransactionCount", from, "pending")).toBe("0x64");
    expect(await ask("txpool_status")).toEqual({ pending: "0x64", queued: "0x0" });
  });

  it("continues after a rejection", async () => {
    const broke = ask("eth_sendTransaction", { from, to: from, value: `0x${"f".repeat(60)}`, gas: "0x5208" });
    const next = ask("eth_sendTransaction", { from, to: from });
    await expect(broke).rejects.toMatchObject({ code: -32000 });
    expect(await next).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it("does not block an account while a passphrase for it is checked", async () => {
    const account = await ask("personal_importRawKey", "11".repeat(32), "pw");
    await ask("personal_unlockAccount", account, "pw");
    const tx = { from: account, to: account };
    const ended: string[] = [];
    const locked = ask("personal_sendTransaction", tx, "wrong").catch(({ message }) => ended.push(message));
    // The account has no money, which the pool checks last.
    await ask("kaia_sendTransaction", tx).catch(({ message }) => ended.push(message));
    await locked;
    expect(ended).toEqual([
      expect.stringContaining("insufficient funds"),
      "could not decrypt key with given passphrase",
    ]);
  });

  it("rejects an invalid transaction before it checks the passphrase", async () => {
    await expect(ask("personal_sendTransaction", { from }, "wrong")).rejects.toThrow(
      "contract creation without any data provided",
    );
  });

  it("fills what is missing and signs what a fee payer can complete", async () => {
    const gasPrice = (await ask("kaia_gasPrice")) as string;
    const [, feePayer] = (await ask("eth_accounts")) as string[];
    const tx = {
      typeInt: 9,
      from,
      to: from,
      value: "0x1",
      gas: "0x30d40",
      gasPrice,
      nonce: "0x70",
      feePayer,
    };
    const { tx: signed } = (await ask("kaia_signTransaction", tx)) as { tx: { signatures: unknown } };
    const own = {
      from: tx.from,
      to: tx.to,
      value: "0x1",
      gas: "0x186a0",
      nonce: "0x0",
      gasPrice: tx.gasPrice,
    };
    await expect(ask("kaia_signTransactionAsFeePayer", { ...own, typeInt: 8 })).rejects.toThrow(
      "not a fee delegation type transaction",
    );
    await expect(ask("kaia_signTransactionAsFeePayer", { ...own, typeInt: 0 })).rejects.toThrow(
      "invalid fee payer is set",
    );
    const hash = await ask("kaia_sendTransactionAsFeePayer", { ...tx, signatures: signed.signatures });
    expect(await ask("kaia_getTransactionByHash", hash)).toMatchObject({
      type: "TxTypeFeeDelegatedValueTransfer",
      feePayer,
      feePayerSignatures: [{ V: expect.any(String) }],
    });
  });

  it("puts an empty signature in place of the sender's where the fee payer signs first", async () => {
    const [feePayer, own] = (await ask("eth_accounts")) as string[];
    const tx = { typeInt: 57, from: own, feePayer, nonce: "0x100", gas: "0xf4240", gasPrice: "0xba43b7400" };
    const signed = async (signatures: object) =>
      (await ask("kaia_signTransactionAsFeePayer", { ...tx, ...signatures })) as {
        raw: string;
        tx: { signatures: unknown };
      };
    const before = `94${own?.slice(2)}`;
    // As v2.2.1 encodes them.
    for (const unsigned of [{}, { signatures: null }]) {
      const { raw, tx: shown } = await signed(unsigned);
      expect(raw).toContain(`${before}c4c3808080`);
      expect(shown.signatures).toEqual([{ V: "0x0", R: "0x0", S: "0x0" }]);
    }
    expect((await signed({ signatures: [] })).raw).toContain(`${before}c094`);
  });

  it("leaves both caps of a filled transaction with authorizations unset if a price is given", async () => {
    const to = `0x${"33".repeat(20)}`;
    const tx = { from, to, gas: "0xf4240", nonce: "0x100", authorizationList: [] };
    const filled = (more: object) => ask("eth_fillTransaction", { ...tx, ...more });
    expect(await filled({ gasPrice: "0xba43b7400" })).toMatchObject({
      raw: expect.stringMatching(/^0x04e8[0-9a-f]{6}8201008080830f4240/),
      tx: { gasPrice: null, maxPriorityFeePerGas: null, maxFeePerGas: null },
    });
    expect(await filled({ maxFeePerGas: "0xba43b7400" })).toMatchObject({
      tx: { maxFeePerGas: "0xba43b7400", maxPriorityFeePerGas: expect.any(String) },
    });
  });

  it("replaces a pending transaction with one at a higher price, in both namespaces", async () => {
    const [, , own, third] = (await ask("eth_accounts")) as string[];
    for (const [namespace, account] of [
      ["eth", own],
      ["kaia", third],
    ] as const) {
      const tx = { from: account, to: account, nonce: "0x0", gas: "0x5208", gasPrice: "0xba43b7400" };
      await ask(`${namespace}_sendTransaction`, tx);
      const hash = await ask(`${namespace}_resend`, tx, "0xdf8475800");
      expect(await ask("kaia_getTransactionByHash", hash)).toMatchObject({
        gasPrice: "0xdf8475800",
        gas: "0x5208",
      });
      await expect(ask(`${namespace}_resend`, tx, "0xdf8475801")).rejects.toThrow(
        /^Transaction [0-9a-f]{64} not found$/,
      );
      await expect(ask(`${namespace}_resend`, { from: account, to: account })).rejects.toThrow(
        "missing transaction nonce",
      );
    }
  });

  it("rejects contradictory arguments with the reference's texts", async () => {
    const tx = { from, to: from, gasPrice: "0x1", maxFeePerGas: "0x1" };
    await expect(ask("eth_fillTransaction", tx)).rejects.toThrow("both gasPrice and (maxFeePerGas or");
    await expect(ask("kaia_sendTransaction", { from })).rejects.toThrow("contract creation without any data");
    const extra = { typeInt: 8, from, to: from, value: "0x1", input: "0x00" };
    await expect(ask("kaia_sendTransaction", extra)).rejects.toThrow(
      'json:"input" is not a field of TxTypeValueTransfer',
    );
  });
});
