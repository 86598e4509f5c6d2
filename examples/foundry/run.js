// Foundry: forge deploys a contract, cast signs it, and forge's tests run on a fork of the chain.
import assert from "node:assert/strict";
import { runProgram } from "../run-program.js";
import { KEYS, startNode } from "../start-node.js";

const node = await startNode();
const tool = (name, args, env) =>
  runProgram(process.execPath, [`node_modules/@foundry-rs/${name}/bin.mjs`, ...args], {
    cwd: import.meta.dirname,
    env: { ...process.env, ETH_RPC_URL: node.url, ...env },
  });
const key = ["--private-key", KEYS[0]];

const created = await tool("forge", ["create", "src/Guestbook.sol:Guestbook", ...key, "--broadcast"]);
const [, book] = /Deployed to: (0x\w{40})/.exec(created);

const line = "hello from cast";
await tool("cast", ["send", book, "sign(string)", line, ...key]);
assert.match(await tool("cast", ["call", book, "guests()(uint256)"]), /^1\n/);
assert.match(await tool("cast", ["logs", "--address", book, "--from-block", "0"]), /Signed|0xc1fd59/);

const tested = await tool("forge", ["test", "--fork-url", node.url], { BOOK: book });
assert.match(tested, /3 tests passed, 0 failed/);

console.log(`${book} was signed by cast; 3 tests of forge passed on a fork`);
await node.stop();
