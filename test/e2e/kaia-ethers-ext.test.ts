import { AccountKeyType, JsonRpcProvider, parseKaia, TxType, Wallet } from "@kaiachain/ethers-ext/v6";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type StartedNode, startNode } from "./started-node.ts";

let node: StartedNode;
let provider: JsonRpcProvider;
beforeAll(async () => {
  node = await startNode();
  provider = new JsonRpcProvider(node.endpoints.http);
  provider.pollingInterval = 50;
});
afterAll(async () => {
  await provider.send("eth_blockNumber", []); // the last poll has completed
  provider.destroy();
  expect(await node.stop()).toBe(0);
});

const wallet = (index: number) => new Wallet(node.accounts[index]?.privateKey as string, provider);

it("sends a Kaia value transfer", async () => {
  const to = Wallet.createRandom().address;
  const sent = await wallet(0).sendTransaction({ type: TxType.ValueTransfer, to, value: parseKaia("1") });
  const receipt = await sent.wait();
  expect(receipt?.status).toBe(1);
  expect(await provider.getBalance(to)).toBe(parseKaia("1"));
});

it("lets a fee payer pay for a memo", async () => {
  const [sender, feePayer] = [wallet(1), wallet(2)];
  const tx = await sender.populateTransaction({
    type: TxType.FeeDelegatedValueTransferMemo,
    from: sender.address,
    to: sender.address,
    value: 0,
    data: "0x6b6169726e",
  });
  const before = await provider.getBalance(sender.address);
  const senderRaw = await sender.signTransaction(tx);
  const sent = await feePayer.sendTransactionAsFeePayer(senderRaw);
  expect((await sent.wait())?.status).toBe(1);
  expect(await provider.getBalance(sender.address)).toBe(before);
});

it("updates an account key and signs with the new one", async () => {
  const owner = wallet(3);
  const next = Wallet.createRandom();
  const update = await owner.sendTransaction({
    type: TxType.AccountUpdate,
    from: owner.address,
    key: { type: AccountKeyType.Public, key: next.signingKey.compressedPublicKey },
  });
  await update.wait();
  const renewed = new Wallet(owner.address, next.privateKey, provider);
  const sent = await renewed.sendTransaction({
    type: TxType.ValueTransfer,
    from: owner.address,
    to: owner.address,
    value: 1,
    // the provider caches a nonce for 250 ms, longer than a block takes here; `send` bypasses the cache
    nonce: Number(await provider.send("kaia_getTransactionCount", [owner.address, "latest"])),
  });
  expect((await sent.wait())?.status).toBe(1);
});
