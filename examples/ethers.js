// ethers: deploy a contract, receive its events live, and catch its errors.
import assert from "node:assert/strict";
import { ContractFactory, JsonRpcProvider, NonceManager, Wallet } from "ethers";
import { guestbook } from "./guestbook.js";
import { KEYS, startNode } from "./start-node.js";

const node = await startNode();
const provider = new JsonRpcProvider(node.url, undefined, { cacheTimeout: -1 });
provider.pollingInterval = 50;
const guest = new Wallet(KEYS[1], provider);

const factory = new ContractFactory(guestbook.abi, guestbook.bytecode, new NonceManager(guest));
const book = await (await factory.deploy()).waitForDeployment();

const heard = new Promise((resolve) => void book.once("Signed", (...[by, line]) => resolve({ by, line })));
const receipt = await (await book.sign("hello from ethers")).wait();
assert.equal(receipt.status, 1);
assert.deepEqual(await heard, { by: guest.address, line: "hello from ethers" });
assert.equal(await book.lineOf(guest.address), "hello from ethers");

const error = await book.sign.staticCall("").catch((reason) => reason);
assert.equal(error.revert.name, "EmptyLine");
assert.equal(error.revert.args.guest, guest.address);

console.log(`${await book.getAddress()} has ${await book.guests()} guest`);
provider.destroy();
await node.stop();
