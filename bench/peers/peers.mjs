// The nodes that are compared: how each is started, so that all have the same chain, accounts and limits.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/lib.mjs";
import { account } from "../rpc/lib/eth.mjs";

/** The first account of the test mnemonic, which every development chain funds. */
export const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
/** Whole coins of each funded account: enough for any run. */
const BALANCE = "1000000000";
const BLOCK_GAS = "2000000000";
const POOL_SLOTS = [
  "exec-slots.account",
  "exec-slots.all",
  "nonexec-slots.account",
  "nonexec-slots.all",
].flatMap((slots) => [`--txpool.${slots}`, "200000"]);
const modules = join(root, "bench", "peers", "node_modules");
const installed = (name) => join(modules, ".bin", name);

/**
 * A node that can be measured.
 * @typedef {object} Peer
 * @property {string} name
 * @property {(ports: { http: number, ws: number }, folder: string) => string[]} command - program and arguments
 * @property {(folder: string) => void} [prepare] - makes the chain before the start
 * @property {string} [cwd]
 * @property {"own" | "shared"} [webSocket] - whether it listens on a port of its own or on that of HTTP; absent where there is none
 * @property {string[]} [skip] - phases without meaning for this node
 */

/** A checkout of kairn, built. @param flags - besides those with which all are measured */
export function kairnPeer(name, folderOfCode, flags = ["--block-time", "1s"]) {
  const program = join(folderOfCode, "bin", "kairn");
  const help = spawnSync(process.execPath, [program, "dev", "--help"], { encoding: "utf8" }).stdout;
  const quiet = help.includes("--quiet") ? ["--quiet"] : []; // earlier versions had no such flag
  return {
    name,
    webSocket: "own",
    command: ({ http, ws }, folder) => [
      ...[process.execPath, program, "dev", "--datadir", folder, "--rpcport", `${http}`, "--wsport", `${ws}`],
      ...["--balance", BALANCE, "--rpc.gascap", "0", ...POOL_SLOTS, ...quiet, ...flags],
    ],
  };
}

/** Foundry's node, if installed. @returns a list of one or none */
export function anvilPeers() {
  const limits = ["--block-time", "1", "--gas-limit", BLOCK_GAS, "--balance", BALANCE];
  const command = ({ http }) => [installed("anvil"), "--port", `${http}`, "-q", ...limits];
  return ifThere(installed("anvil"), { name: "anvil", webSocket: "shared", command, skip: ["keystore"] });
}

/** @returns a list of one or none */
export function hardhatPeers() {
  const program = join(modules, "hardhat", "internal", "cli", "bootstrap.js");
  const config = join(root, "bench", "peers", "hardhat.config.cjs");
  return ifThere(program, {
    name: "hardhat",
    webSocket: "shared",
    cwd: join(root, "bench", "peers"),
    command: ({ http }) => [
      ...[
        process.execPath,
        program,
        "--config",
        config,
        "node",
        "--hostname",
        "127.0.0.1",
        "--port",
        `${http}`,
      ],
    ],
    skip: ["keystore", "growth"],
  });
}

/** @returns a list of one or none */
export function ganachePeers() {
  const mnemonic = ["--wallet.mnemonic", "test test test test test test test test test test test junk"];
  const limits = ["--wallet.defaultBalance", BALANCE, "--miner.blockTime", "1"];
  const command = ({ http }) => [installed("ganache"), "--port", `${http}`, "-q", ...mnemonic, ...limits];
  return ifThere(installed("ganache"), {
    name: "ganache",
    webSocket: "shared",
    command,
    skip: ["submit", "evm", "contracts", "keystore", "growth"],
  });
}

/** The Go node as the only validator of the recorded exchanges' chain, which funds the same account. @param kcn - path */
export function goPeer(kcn) {
  const chain = join(root, "test", "fixtures", "golden", "genesis");
  return {
    name: "kcn",
    webSocket: "own",
    prepare(folder) {
      const genesis = JSON.parse(readFileSync(join(chain, "kaia-2.2.1.json"), "utf8"));
      genesis.alloc[account(KEY).address] = { balance: `0x${(10n ** 27n).toString(16)}` };
      const file = join(folder, "genesis.json");
      writeFileSync(file, JSON.stringify(genesis));
      spawnSync(kcn, ["init", "--datadir", folder, file], { stdio: "ignore" });
    },
    command: ({ http, ws }, folder) => [
      ...[kcn, "--datadir", folder, "--networkid", "940625", "--nodekey", join(chain, "nodekey")],
      ...["--rpc", "--rpcport", `${http}`, "--rpcapi", "eth,personal,net,web3", "--rpc.gascap", "2000000000"],
      ...["--ws", "--wsport", `${ws}`, "--wsapi", "eth,net"],
      ...["--port", "0", "--nodiscover", "--ntp.disable", ...POOL_SLOTS],
    ],
  };
}

const ifThere = (file, peer) => (existsSync(file) ? [peer] : []);
