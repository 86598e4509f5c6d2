// `npm run test:examples [-- names]`: installs the dependencies of examples/, builds, and runs each example.
import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { nodeForHardhat } from "../examples/hardhat/node-for-hardhat.js";
import { ensureBuilt, ensureInstalled, root } from "./lib.mjs";

const folder = join(root, "examples");
const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--root", "vitest"];
const examples = {
  viem: ["viem.js"],
  ethers: ["ethers.js"],
  web3: ["web3.js"],
  caver: ["caver.js"],
  "ethers-ext": ["ethers-ext.js"],
  "fee-payer-service": ["fee-payer-service.js"],
  "kairn-client": ["kairn-client.js"],
  vitest,
  hardhat: ["hardhat/run.js"],
  foundry: ["foundry/run.js"],
};
const given = process.argv.slice(2);
const names = given.length > 0 ? given : Object.keys(examples);

ensureInstalled();
ensureBuilt();
ensureInstalled("examples");
if (names.includes("hardhat")) installHardhat();
if (names.includes("foundry")) ensureInstalled("examples/foundry");
linkKairn();

const failed = names.filter((name) => !passes(name));
if (failed.length > 0) {
  console.error(`failed: ${failed.join(", ")}`);
  process.exit(1);
}

function passes(name) {
  const started = Date.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, examples[name], {
    cwd: folder,
    encoding: "utf8",
    timeout: 180_000,
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok" : "FAILED"} ${name} (${seconds} s)\n${indented(stdout)}`);
  if (status !== 0) console.log(indented(stderr));
  return status === 0;
}

function indented(text) {
  return text.trim().replace(/^/gm, "   ");
}

/** Hardhat's packages require Node 22, so npm must run on it too. */
function installHardhat() {
  if (nodeForHardhat() === undefined) ensureInstalled("examples/hardhat/node-22");
  const node = nodeForHardhat();
  if (node !== undefined)
    ensureInstalled("examples/hardhat", { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` });
}

/** The examples import `kairn` by name, like an installed package. */
function linkKairn() {
  const link = join(folder, "node_modules", "kairn");
  if (!existsSync(link)) symlinkSync(root, link, "junction");
}
