// caver-js: give an account one key per role, so that losing the everyday key does not lose the account.
import assert from "node:assert/strict";
import Caver from "caver-js";
import { KEYS, startNode } from "./start-node.js";

const node = await startNode();
const caver = new Caver(node.url);
const { keyring } = caver.wallet;
const gas = 200_000;

async function send(tx, signer) {
  await caver.wallet.sign(signer.address, tx);
  const receipt = await caver.rpc.klay.sendRawTransaction(tx);
  assert.equal(receipt.status, "0x1");
  return receipt;
}

const funder = caver.wallet.add(keyring.createFromPrivateKey(KEYS[0]));
const account = caver.wallet.add(keyring.generate());
const value = caver.utils.toPeb(5, "KLAY");
await send(
  caver.transaction.valueTransfer.create({ from: funder.address, to: account.address, value, gas }),
  funder,
);

// Two of two keys for transactions, one to change the account's keys, one to pay for others.
const keys = keyring.create(account.address, keyring.generateRoleBasedKeys([2, 1, 1]));
const options = [
  new caver.account.weightedMultiSigOptions(2, [1, 1]),
  new caver.account.weightedMultiSigOptions(1, [1]),
  new caver.account.weightedMultiSigOptions(1, [1]),
];
const update = { from: account.address, account: keys.toAccount(options), gas };
await send(caver.transaction.accountUpdate.create(update), account);
caver.wallet.updateKeyring(keys);

const { keyType, key } = await caver.rpc.klay.getAccountKey(account.address);
assert.equal(keyType, 5);
assert.equal(key.length, 3);

const back = { from: account.address, to: funder.address, value: 1, gas };
const { signatures } = await send(caver.transaction.valueTransfer.create(back), account);
assert.equal(signatures.length, 2);

const alone = caver.transaction.valueTransfer.create(back);
await alone.sign(keyring.createWithSingleKey(account.address, keys.keys[0][0].privateKey));
await assert.rejects(caver.rpc.klay.sendRawTransaction(alone), /invalid/);

console.log(`${account.address} now needs two signatures`);
await node.stop();
