// The cost of the terminal: one development chain that prints nothing (`--quiet`), one whose lines are read, and one whose lines nobody
// reads. Each gets the same signed transfers, in turns; CPU time is compared, not wall-clock time.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../scripts/lib.mjs";
import { KEY } from "./peers/peers.mjs";
import { account, signLegacy } from "./rpc/lib/eth.mjs";
import { freePort } from "./rpc/lib/free-port.mjs";
import { load1, usage } from "./rpc/lib/proc.mjs";

const TRANSFERS = 400;
/** Transfers per batch: the cheaper HTTP is, the more visible the cost of printing. */
const AT_ONCE = 50;
const WARM_UP = 2;
const TIMEOUT_MS = 60_000;

/** How each node is started, and whether its lines are read. */
const KINDS = {
  quiet: { flags: ["--quiet"], isRead: true },
  told: { flags: [], isRead: true },
  "told to nobody": { flags: [], isRead: false },
};

/** Prints CPU time and memory of each kind. @param rounds - each has 400 transfers of every kind */
export async function benchActivity(rounds) {
  const nodes = [];
  try {
    for (const [name, kind] of Object.entries(KINDS)) nodes.push(await start(name, kind, await freePort()));
    const sender = account(KEY);
    const chainId = Number(await ask(nodes[0], "eth_chainId"));
    const costs = new Map(nodes.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds + WARM_UP; round++) {
      const raws = Array.from({ length: TRANSFERS }, (_, i) => {
        const nonce = round * TRANSFERS + i;
        const tx = { nonce, gasPrice: 50_000_000_000n, gas: 21_000n, to: sender.address, value: 1n, chainId };
        return signLegacy(tx, sender.priv).raw;
      });
      const order = nodes.map((_, i) => nodes[(round + i) % nodes.length]);
      for (const node of order) {
        const cost = await send(node, raws);
        if (round >= WARM_UP) costs.get(node.name).push(cost);
      }
    }
    const quiet = costs.get("quiet");
    for (const { name, child, lines } of nodes) {
      const own = costs.get(name);
      const ratios = own.map((cost, i) => cost / quiet[i]).sort((a, b) => a - b);
      const spread = `${ratios[0].toFixed(2)} to ${ratios.at(-1).toFixed(2)}`;
      const all = (sum(own) / sum(quiet)).toFixed(3);
      console.log(
        `${name.padEnd(15)} ${middle(own).toFixed(3)} ms CPU a transfer; of quiet ${middle(ratios).toFixed(3)}, rounds ${spread}, ` +
          `in all ${all}; ${usage(child.pid).rssMiB} MiB, ${lines()} lines read`,
      );
    }
    console.log(`${rounds} rounds of ${TRANSFERS} transfers; load ${load1()}`);
  } finally {
    for (const { child } of nodes) child.kill("SIGKILL");
  }
}

async function start(name, { flags, isRead }, port) {
  const args = ["dev", "--ephemeral", "--rpcport", `${port}`, "--wsport", "0", "--dashboard=false", ...flags];
  const child = spawn(process.execPath, [join(root, "bin", "kairn"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let lines = 0;
  if (isRead)
    child.stdout.on("data", (data) => {
      for (const byte of data) if (byte === 10) lines++;
    });
  const node = { name, child, lines: () => lines, url: `http://127.0.0.1:${port}` };
  const begun = performance.now();
  while (!(await ask(node, "eth_chainId").catch(() => undefined))) {
    if (child.exitCode !== null || performance.now() - begun > TIMEOUT_MS)
      throw new Error(`${name} does not respond`);
    await pause(50);
  }
  return node;
}

/** @returns milliseconds of CPU time per transfer */
async function send(node, raws) {
  const before = usage(node.child.pid).cpu;
  for (let at = 0; at < raws.length; at += AT_ONCE) {
    const calls = raws.slice(at, at + AT_ONCE).map((raw) => ["eth_sendRawTransaction", raw]);
    for (const { error } of await post(node, calls.map(call))) if (error) throw new Error(error.message);
  }
  await pause(300);
  return ((usage(node.child.pid).cpu - before) * 1_000) / raws.length;
}

async function ask(node, ...called) {
  const { result, error } = await post(node, call(called));
  if (error) throw new Error(error.message);
  return result;
}

function call([method, ...params]) {
  return { jsonrpc: "2.0", id: 1, method, params };
}

async function post({ url }, body) {
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function middle(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
