// @kaiachain/ethers-ext: a user without any KAIA calls a contract, and a fee payer pays.
import assert from "node:assert/strict";
import { JsonRpcProvider, TxType, Wallet } from "@kaiachain/ethers-ext/v6";
import { Contract, ContractFactory } from "ethers";
import { guestbook } from "./guestbook.js";
import { KEYS, startNode } from "./start-node.js";

const node = await startNode();
const provider = new JsonRpcProvider(node.url);
provider.pollingInterval = 50;
const feePayer = new Wallet(KEYS[2], provider);
const guest = new Wallet(Wallet.createRandom().privateKey, provider);

const deployed = await new ContractFactory(guestbook.abi, guestbook.bytecode, feePayer).deploy();
const book = new Contract(await deployed.getAddress(), guestbook.abi, provider);
await deployed.waitForDeployment();

const tx = await guest.populateTransaction({
  type: TxType.FeeDelegatedSmartContractExecution,
  from: guest.address,
  to: book.target,
  value: 0,
  data: book.interface.encodeFunctionData("sign", ["I own nothing"]),
  gasLimit: 200_000,
});
const raw = await guest.signTransaction(tx); // this is what a dApp sends to the fee payer service
const sent = await feePayer.sendTransactionAsFeePayer(raw);
const { status } = await sent.wait();
assert.equal(status, 1);

const receipt = await provider.send("kaia_getTransactionReceipt", [sent.hash]);
assert.equal(receipt.type, "TxTypeFeeDelegatedSmartContractExecution");
assert.equal(receipt.feePayer, feePayer.address.toLowerCase());
assert.equal(await provider.getBalance(guest.address), 0n);
assert.equal(await book.lineOf(guest.address), "I own nothing");

console.log(`${guest.address} signed; ${feePayer.address} paid for ${BigInt(receipt.gasUsed)} gas`);
provider.destroy();
await node.stop();
