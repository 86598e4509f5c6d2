// web3.js: deploy from an account of the node, and subscribe to logs over WebSocket.
import assert from "node:assert/strict";
import { Web3 } from "web3";
import { guestbook } from "./guestbook.js";
import { startNode } from "./start-node.js";

const node = await startNode();
const web3 = new Web3(node.wsUrl);
web3.eth.transactionPollingInterval = 50;
const [, , from] = await web3.eth.getAccounts(); // unlocked in the node: it signs

const book = await new web3.eth.Contract(guestbook.abi).deploy({ data: guestbook.bytecode }).send({ from });
const { address } = book.options;

const subscription = await web3.eth.subscribe("logs", { address });
const heard = new Promise((resolve) => void subscription.once("data", resolve));
await book.methods.sign("hello from web3").send({ from });

const { topics, data } = await heard;
const inputs = guestbook.abi.find(({ name }) => name === "Signed").inputs;
const { guest, line } = web3.eth.abi.decodeLog(inputs, data, topics.slice(1));
assert.deepEqual([guest, line], [from, "hello from web3"]);

console.log(`${guest} signed ${address}: ${line}`);
await subscription.unsubscribe();
web3.provider.disconnect();
await node.stop();
