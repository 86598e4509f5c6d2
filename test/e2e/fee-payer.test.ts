import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonRpcProvider, TxType, Wallet } from "@kaiachain/ethers-ext/v6";
import { afterEach, expect, it } from "vitest";
import { rpcCall } from "./json-rpc.ts";
import { type StartedNode, startNode } from "./started-node.ts";

const to = "0x0000000000000000000000000000000000000B0b";
let node: StartedNode;
let provider: JsonRpcProvider;
afterEach(async () => {
  provider.destroy();
  expect(await node.stop()).toBe(0);
});

async function start(...flags: string[]): Promise<void> {
  node = await startNode("--fee-payer-port", "0", ...flags);
  provider = new JsonRpcProvider(node.endpoints.http);
}

/** A transfer signed in a dApp's page. */
async function signed(type: number, more: object = {}): Promise<string> {
  const sender = new Wallet(node.accounts[1]?.privateKey as string, provider);
  // fetched here: the client caches nonces for 250 ms and would sign two transfers with the same one
  const count = await rpcCall(node.endpoints.http, "eth_getTransactionCount", sender.address, "pending");
  const own = { type, from: sender.address, to, value: 1, nonce: Number(count) };
  const tx = await sender.populateTransaction({ ...own, ...more });
  return sender.signTransaction(tx);
}

/** Calls the service like a dApp's server. */
async function pay(raw: string, apiKey?: string) {
  const { feePayer } = node.endpoints as unknown as { feePayer: string };
  const response = await fetch(`${feePayer}/api/signAsFeePayer`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(apiKey && { Authorization: `Bearer ${apiKey}` }) },
    body: JSON.stringify({ userSignedTx: { raw } }),
  });
  return response.json();
}

it("pays for transactions of the Kaia SDK, with or without a named fee payer", async () => {
  await start();
  const feePayer = node.accounts[0]?.address;
  const plain = await pay(await signed(TxType.FeeDelegatedValueTransfer));
  expect(plain).toMatchObject({ status: true, data: { status: 1, to } });
  const named = await pay(await signed(TxType.FeeDelegatedValueTransfer, { feePayer }));
  expect(named).toMatchObject({ status: true, data: { status: 1 } });
  const shared = await pay(await signed(TxType.FeeDelegatedValueTransferWithRatio, { feeRatio: 99 }));
  expect(shared).toMatchObject({ status: true, data: { status: 1 } });
});

it("pays for dApps listed in a file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-dapps-"));
  try {
    const file = join(folder, "dapps.json");
    writeFileSync(file, JSON.stringify([{ name: "shop", apiKeys: ["secret"], balance: "1" }]));
    await start("--fee-payer-dapps", file);
    const raw = await signed(TxType.FeeDelegatedValueTransfer);
    expect(await pay(raw, "wrong")).toMatchObject({ status: false, data: "Invalid API key" });
    expect(await pay(raw, "secret")).toMatchObject({ status: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("pays for raw transactions if a fee payer is set", async () => {
  await start();
  const raw = await signed(TxType.FeeDelegatedValueTransfer);
  const { http: url } = node.endpoints;
  await expect(rpcCall(url, "kaia_sendRawTransaction", raw)).rejects.toThrow();
  await rpcCall(url, "kairn_setAutoFeePayer", node.accounts[2]?.address);
  const hash = await rpcCall(url, "kaia_sendRawTransaction", raw);
  await expect
    .poll(() => rpcCall(url, "kaia_getTransactionReceipt", hash))
    .toMatchObject({ status: "0x1", feePayer: node.accounts[2]?.address });
});
