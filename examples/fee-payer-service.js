// The managed fee delegation service, on this machine: a dApp's user signs, the dApp posts the transaction, and the service pays the fee.
import assert from "node:assert/strict";
import { JsonRpcProvider, TxType, Wallet } from "@kaiachain/ethers-ext/v6";
import { createNode } from "kairn";

const node = await createNode({ http: { port: 0 }, feePayer: { port: 0 } }); // or: kairn dev --fee-payer-port 8560
const provider = new JsonRpcProvider(node.endpoints.http);
const user = new Wallet(Wallet.createRandom().privateKey, provider);

const tx = await user.populateTransaction({
  type: TxType.FeeDelegatedValueTransferMemo,
  from: user.address,
  to: user.address,
  value: 0,
  data: "0x6b6169726e",
  gasLimit: 50_000,
});
const response = await fetch(`${node.endpoints.feePayer}/api/signAsFeePayer`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ userSignedTx: { raw: await user.signTransaction(tx) } }),
});
const { status, data } = await response.json();
assert.equal(status, true);
assert.equal(data.status, 1); // the receipt: the transaction is mined

const { feePayer } = await provider.send("kaia_getTransactionReceipt", [data.hash]);
// ethers caches responses for 250 ms, and has just fetched the nonce: send() bypasses the cache.
assert.equal(await provider.send("kaia_getTransactionCount", [user.address, "latest"]), "0x1");
assert.equal(await provider.getBalance(user.address), 0n);

console.log(`${feePayer} paid for ${user.address}`);
provider.destroy();
await node.stop();
