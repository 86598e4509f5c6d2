// The gain from I/O processes on this machine: `eth_blockNumber`, `eth_getBalance`, and `eth_call` of accounts without code, sent over many
// connections by several client processes to nodes with different numbers of them (`--processes 0,1,2,4`, `--clients 4`). Prints responses
// per second of wall-clock time, and microseconds of CPU time per response: of the main process, and of its I/O processes together.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startDevNode } from "./dev-node.mjs";
import { load } from "./rpc/lib/http.mjs";
import { load1, tree, usage } from "./rpc/lib/proc.mjs";

const CONNECTIONS = 16;
const SECONDS = 3;
const call = (method, params = []) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const ADDRESSES = Array.from({ length: 256 }, (_, i) => `0x${(i * 7919).toString(16).padStart(40, "0")}`);
const KINDS = {
  eth_blockNumber: [call("eth_blockNumber")],
  eth_getBalance: ADDRESSES.map((address) => call("eth_getBalance", [address, "latest"])),
  eth_call: ADDRESSES.map((to) => call("eth_call", [{ to, data: "0x" }, "latest"])),
};

if (process.send !== undefined) process.on("message", async (request) => process.send(await load(request)));
else await measure();

async function measure() {
  const { values } = parseArgs({
    options: {
      processes: { type: "string", default: "0,1,2" },
      clients: { type: "string", default: "2" },
    },
  });
  const clients = Array.from({ length: Number(values.clients) }, () => fork(fileURLToPath(import.meta.url)));
  try {
    console.log(`${clients.length} clients of ${CONNECTIONS} connections each, load ${load1()}`);
    for (const count of values.processes.split(",").map(Number)) await measureNode(count, clients);
  } finally {
    for (const client of clients) client.kill();
  }
}

async function measureNode(count, clients) {
  const folder = mkdtempSync(join(tmpdir(), "kairn-io-"));
  const node = await startDevNode(folder, ["--block-time", "1s", "--rpc.io-processes", `${count}`]);
  try {
    const url = node.banner.endpoints.http;
    for (const [name, bodies] of Object.entries(KINDS)) {
      await ask(clients, { url, bodies, conns: CONNECTIONS, durationMs: 2_000 });
      const before = spent(node.pid);
      const total = await ask(clients, { url, bodies, conns: CONNECTIONS, durationMs: 1_000 * SECONDS });
      const after = spent(node.pid);
      const each = (part) => ((1e6 * (after[part] - before[part])) / total).toFixed(1);
      console.log(
        `${count} I/O processes  ${name.padEnd(16)} ${Math.round(total / SECONDS)} a second, ` +
          `${each("main")} µs main, ${each("io")} µs I/O`,
      );
    }
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns number of responses */
async function ask(clients, request) {
  const counts = clients.map(async (client) => {
    client.send(request);
    const [{ n, errors, firstError }] = await once(client, "message");
    if (errors > 0) throw new Error(firstError);
    return n;
  });
  return (await Promise.all(counts)).reduce((sum, n) => sum + n, 0);
}

/** CPU seconds used so far by the main process, and by its children, the I/O processes. */
function spent(pid) {
  const io = tree(pid)
    .slice(1)
    .reduce((sum, child) => sum + usage(child).cpu, 0);
  return { io, main: usage(pid).cpu - io };
}
