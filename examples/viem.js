// viem: deploy a contract, write to it, read its events, and distinguish its errors.
import assert from "node:assert/strict";
import {
  BaseError,
  ContractFunctionRevertedError,
  createTestClient,
  http,
  publicActions,
  walletActions,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { guestbook } from "./guestbook.js";
import { KEYS, startNode } from "./start-node.js";

const node = await startNode();
const account = privateKeyToAccount(KEYS[0]);
const client = createTestClient({ mode: "anvil", account, transport: http(node.url), pollingInterval: 50 })
  .extend(publicActions)
  .extend(walletActions);
const chain = {
  id: await client.getChainId(),
  name: "kairn",
  nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
};

const deployed = await client.deployContract({ ...guestbook, chain });
const { contractAddress: address } = await client.waitForTransactionReceipt({ hash: deployed });
const book = { address, abi: guestbook.abi };

const signed = await client.writeContract({ ...book, functionName: "sign", args: ["hello, Kaia"], chain });
const { status, gasUsed } = await client.waitForTransactionReceipt({ hash: signed });
assert.equal(status, "success");

const [event] = await client.getContractEvents({ ...book, eventName: "Signed", fromBlock: 0n });
assert.deepEqual(event.args, { guest: account.address, line: "hello, Kaia" });

const empty = { ...book, functionName: "sign", args: [""], account };
const error = await client.simulateContract(empty).catch((reason) => reason);
assert(error instanceof BaseError);
const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
assert.equal(reverted.data.errorName, "EmptyLine");

// A day later: development chains can advance time.
const { timestamp } = await client.getBlock();
await client.setNextBlockTimestamp({ timestamp: timestamp + 86_400n });
await client.mine({ blocks: 1 });
assert.equal((await client.getBlock()).timestamp, timestamp + 86_400n);

console.log(`${address} was signed for ${gasUsed} gas`);
await node.stop();
