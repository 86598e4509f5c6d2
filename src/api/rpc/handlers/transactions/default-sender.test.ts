import { describe, expect, it } from "vitest";
import { createNode } from "../../../../node/create-node.ts";

const to = `0x${"55".repeat(20)}`;

describe("a transaction without from", () => {
  it("is sent and signed by the first account of a development chain, each with a nonce of its own", async () => {
    await using node = await createNode({ sealing: { kind: "manual" }, lightKdf: true });
    const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
    const [from] = (await ask("eth_accounts")) as [string];
    const send = () => ask("eth_sendTransaction", { to, value: "0x1" });
    const hashes = await Promise.all([
      send(),
      send(),
      ask("eth_sendTransaction", { from, to, value: "0x1" }),
    ]);
    const sent = await Promise.all(hashes.map((hash) => ask("eth_getTransactionByHash", hash)));
    expect(sent).toMatchObject([0, 1, 2].map((nonce) => ({ from, nonce: `0x${nonce}` })));
    const price = await ask("eth_gasPrice");
    const signing = { to, value: "0x1", gas: "0x5208", gasPrice: price, nonce: "0x3" };
    expect(await ask("eth_signTransaction", signing)).toEqual(
      await ask("eth_signTransaction", { ...signing, from }),
    );
  });

  it("is estimated and filled in for that account, which can pay", async () => {
    await using node = await createNode({ lightKdf: true });
    const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
    const [from] = (await ask("eth_accounts")) as [string];
    const paid = { to, value: "0xde0b6b3a7640000" };
    expect(await ask("eth_estimateGas", paid)).toBe(await ask("eth_estimateGas", { ...paid, from }));
    expect(await ask("eth_fillTransaction", paid)).toEqual(
      await ask("eth_fillTransaction", { ...paid, from }),
    );
    // CALLER: a call without from still comes from the zero address
    expect(await ask("eth_call", { data: "0x335f5260205ff3" })).toBe(`0x${"00".repeat(32)}`);
  });

  it("comes from the zero address, whose key nobody has, in the dialect of a release", async () => {
    await using node = await createNode({ compat: "kaia", lightKdf: true });
    const tx = { to, value: "0x0", gas: "0x5208", gasPrice: "0x0" };
    const ask = (method: string, params: object) => node.provider.request({ method, params: [params] });
    await expect(ask("eth_sendTransaction", tx)).rejects.toThrow("unknown account");
    await expect(ask("eth_estimateGas", { to, value: "0x1" })).rejects.toThrow("insufficient balance");
  });
});
