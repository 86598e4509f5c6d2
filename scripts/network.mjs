// `npm run network [-- validators]`: a network of validators (default 4) and an endpoint node, on free local ports, in a temporary
// folder. Ctrl-C stops all of them.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ensureBuilt, ensureInstalled } from "./lib.mjs";

const PROGRAM = fileURLToPath(new URL("../bin/kairn", import.meta.url));
const WATCH_MS = 250;
const STOP_MS = 15_000;

const count = Number(process.argv[2] ?? 4);
if (!Number.isInteger(count) || count < 2 || count > 16) {
  console.error("network: the number of validators must be from 2 to 16");
  process.exit(2);
}
ensureInstalled();
ensureBuilt();

const folder = mkdtempSync(join(tmpdir(), "kairn-network-"));
const children = [];
let isEnding = false;
process.on("exit", () => {
  for (const { child } of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => void end(0));

const net = join(folder, "net");
const written = kairn("setup", "--validators", String(count), "--dir", net);
/** Names of the validators, by address. */
const addresses = new Map(
  [...written.matchAll(/(node\d+) +(0x[0-9a-fA-F]{40})/g)].map(([, name, address]) => [
    address.toLowerCase(),
    name,
  ]),
);
const ports = await freePorts(2 * (count + 1));
const names = [...addresses.values()];
const urls = peerUrls();
for (const [i, name] of names.entries()) {
  writeFileSync(
    join(net, name, "klay", "static-nodes.json"),
    JSON.stringify(urls.filter((_, other) => other !== i)),
  );
  kairn("init", "--datadir", join(net, name), join(net, "genesis.json"));
}
kairn("init", "--datadir", join(net, "endpoint"), join(net, "genesis.json"));
writeFileSync(join(net, "endpoint", "static-nodes.json"), JSON.stringify(urls));

const startedMs = performance.now();
for (const [i, name] of names.entries()) start(name, "cn", ports[2 * i], ports[2 * i + 1]);
const [port, rpcPort] = ports.slice(-2);
start("endpoint", "en", port, rpcPort);
const chainId = JSON.parse(readFileSync(join(net, "genesis.json"), "utf8")).config.chainId;
console.log(`chain ${chainId}, ${count} validators and an endpoint; Ctrl-C stops them`);
for (const { name, url } of children) console.log(`  ${name.padEnd(9)} ${url}`);
console.log(`  the funded account's key: ${join(net, "owner-key")}`);
watch();

/** Prints a line for each new block of the endpoint. */
async function watch() {
  const { url } = children[children.length - 1];
  let printed = 0;
  while (!isEnding) {
    const head = Number(await call(url, "kaia_blockNumber").catch(() => 0));
    for (let number = printed + 1; number <= head; number++) await print(url, number);
    if (printed === 0 && head > 0)
      console.log(`  first block ${((performance.now() - startedMs) / 1_000).toFixed(1)} s after the launch`);
    printed = Math.max(printed, head);
    await new Promise((resolve) => setTimeout(resolve, WATCH_MS));
  }
}

async function print(url, number) {
  const block = await call(url, "kaia_getBlockWithConsensusInfoByNumber", `0x${number.toString(16)}`);
  const proposer = addresses.get(block.proposer?.toLowerCase()) ?? block.proposer;
  const round = Number(block.round ?? 0) === 0 ? "" : `, round ${Number(block.round)}`;
  const transactions = block.transactions.length === 0 ? "" : `, ${block.transactions.length} transactions`;
  console.log(
    `block ${number} by ${proposer}, ${block.committers?.length ?? 0} seals${round}${transactions}`,
  );
}

function start(name, type, peers, http) {
  const args = ["--datadir", join(net, name), "--nodetype", type, "--port", String(peers), "--nodiscover"];
  const child = spawn(
    process.execPath,
    [PROGRAM, "node", ...args, "--rpc", "--rpcport", String(http), "--verbosity", "2"],
    {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, P2P_ADDR: "127.0.0.1" },
      detached: true, // Ctrl-C reaches only this process, which stops the nodes
    },
  );
  children.push({ name, child, url: `http://127.0.0.1:${http}` });
  createInterface({ input: child.stderr }).on("line", (line) => console.log(`${name}: ${line}`));
  child.once("exit", (code) => {
    if (!isEnding) void end(code === 0 ? 0 : 1, `${name} has ended`);
  });
}

async function end(code, reason) {
  if (isEnding) return;
  isEnding = true;
  if (reason) console.log(reason);
  console.log("stopping");
  const ended = children.map(({ child }) =>
    child.exitCode !== null || child.signalCode !== null
      ? undefined
      : new Promise((resolve) => child.once("exit", resolve)),
  );
  for (const { child } of children) child.kill("SIGTERM");
  await Promise.race([Promise.all(ended), new Promise((resolve) => setTimeout(resolve, STOP_MS))]);
  process.exit(code);
}

async function call(url, method, ...params) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

function kairn(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" });
  if (status === 0) return stdout;
  console.error(stderr);
  process.exit(1);
}

/** The URLs that nodes dial: the ids from the lists written by `kairn setup`, with the current ports. */
function peerUrls() {
  return names.map((_, i) => {
    const listed = readFileSync(join(net, names[i === 0 ? 1 : 0], "klay", "static-nodes.json"), "utf8");
    const id = new URL(JSON.parse(listed)[i === 0 ? 0 : i - 1].replace("kni:", "http:")).username;
    return `kni://${id}@127.0.0.1:${ports[2 * i]}?discport=0`;
  });
}

async function freePorts(number) {
  const servers = await Promise.all(
    Array.from({ length: number }, async () => {
      const server = createServer();
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const free = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return free;
}
