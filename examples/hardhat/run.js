// Hardhat 3: the tests of this project, with kairn as their network.
import assert from "node:assert/strict";
import { runProgram } from "../run-program.js";
import { startNode } from "../start-node.js";
import { nodeForHardhat } from "./node-for-hardhat.js";

const program = nodeForHardhat();
if (program === undefined) {
  console.log("left out: Hardhat 3 needs Node 22.13 or newer");
  process.exit(0);
}
const node = await startNode();
const printed = await runProgram(program, ["node_modules/hardhat/dist/src/cli.js", "test", "nodejs"], {
  cwd: import.meta.dirname,
  env: { ...process.env, KAIRN_URL: node.url, CI: "1" },
});
assert.match(printed, /5 passing/);
console.log("5 tests of Hardhat passed");
await node.stop();
