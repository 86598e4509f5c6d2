import Caver from "caver-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type StartedNode, startNode } from "./started-node.ts";
import { token } from "./token.ts";

let node: StartedNode;
// biome-ignore lint/suspicious/noExplicitAny: caver's types do not cover its wallet
let caver: any;
const gas = 1_000_000;

beforeAll(async () => {
  node = await startNode();
  caver = new Caver(node.endpoints.http);
});
afterAll(async () => {
  expect(await node.stop()).toBe(0);
});

// biome-ignore lint/suspicious/noExplicitAny: as above
function keyring(index: number): any {
  const ring = caver.wallet.keyring.createFromPrivateKey(node.accounts[index]?.privateKey);
  if (!caver.wallet.isExisted(ring.address)) caver.wallet.add(ring);
  return ring;
}

async function fund(address: string) {
  const from = keyring(0);
  const tx = caver.transaction.valueTransfer.create({
    from: from.address,
    to: address,
    value: caver.utils.toPeb(10, "KLAY"),
    gas,
  });
  await caver.wallet.sign(from.address, tx);
  return caver.rpc.klay.sendRawTransaction(tx);
}

it("transfers value", async () => {
  const to = caver.wallet.keyring.generate().address;
  const receipt = await fund(to);
  expect(receipt.type).toBe("TxTypeValueTransfer");
  expect(receipt.status).toBe("0x1");
  expect(await caver.rpc.klay.getBalance(to)).toBe(caver.utils.toHex(caver.utils.toPeb(10, "KLAY")));
});

it("transfers value with a fee payer who pays all of the fee", async () => {
  const [sender, feePayer] = [keyring(1), keyring(2)];
  const to = caver.wallet.keyring.generate().address;
  const before = BigInt(await caver.rpc.klay.getBalance(sender.address));
  const tx = caver.transaction.feeDelegatedValueTransfer.create({ from: sender.address, to, value: 1, gas });
  await caver.wallet.sign(sender.address, tx);
  await caver.wallet.signAsFeePayer(feePayer.address, tx);
  const receipt = await caver.rpc.klay.sendRawTransaction(tx);
  expect(receipt.feePayer).toBe(feePayer.address.toLowerCase());
  expect(BigInt(await caver.rpc.klay.getBalance(sender.address))).toBe(before - 1n);
});

it("updates an account to a public key and then to a key per role, and signs with each", async () => {
  const first = caver.wallet.keyring.generate();
  await fund(first.address);
  caver.wallet.add(first);

  const single = caver.wallet.keyring.create(first.address, caver.wallet.keyring.generateSingleKey());
  await update(first, single);
  expect((await caver.rpc.klay.getAccountKey(first.address)).keyType).toBe(2);

  const roles = caver.wallet.keyring.create(
    first.address,
    caver.wallet.keyring.generateRoleBasedKeys([2, 1, 1]),
  );
  await update(single, roles, { thresholds: [2, 1, 1], weights: [[1, 1], [1], [1]] });
  const { keyType, key } = await caver.rpc.klay.getAccountKey(first.address);
  expect([keyType, key.length, key[0].keyType]).toEqual([5, 3, 4]);

  const tx = caver.transaction.valueTransfer.create({
    from: first.address,
    to: first.address,
    value: 1,
    gas,
  });
  await caver.wallet.sign(first.address, tx);
  expect((await caver.rpc.klay.sendRawTransaction(tx)).signatures).toHaveLength(2);
});

// biome-ignore lint/suspicious/noExplicitAny: as above
async function update(from: any, to: any, options?: { thresholds: number[]; weights: number[][] }) {
  const account = options
    ? to.toAccount(
        options.thresholds.map(
          (threshold, i) => new caver.account.weightedMultiSigOptions(threshold, options.weights[i]),
        ),
      )
    : to.toAccount();
  const tx = caver.transaction.accountUpdate.create({ from: from.address, account, gas });
  await caver.wallet.sign(from.address, tx);
  const receipt = await caver.rpc.klay.sendRawTransaction(tx);
  expect(receipt.status).toBe("0x1");
  caver.wallet.updateKeyring(to);
}

it("deploys a contract and calls it", async () => {
  const from = keyring(3);
  const contract = new caver.contract(token.abi);
  const deployed = await contract.deploy({ from: from.address, gas: 3_000_000 }, token.bytecode, 500);
  const receipt = await deployed.send({ from: from.address, gas }, "transfer", keyring(4).address, 20);
  expect(receipt.type).toBe("TxTypeSmartContractExecution");
  expect(receipt.events.Transfer.returnValues.value).toBe("20");
  expect(await deployed.call("balanceOf", keyring(4).address)).toBe("20");
});
