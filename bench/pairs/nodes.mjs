// Nodes that are measured beside each other: started, asked, stopped.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { open } from "../rpc/lib/http.mjs";
import { tree, usage } from "../rpc/lib/proc.mjs";

/** The first account of the test mnemonic, which every development chain funds. */
export const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const GIVE_UP_MS = 60_000;
const POOL_SLOTS = ["exec-slots.account", "exec-slots.all", "nonexec-slots.account", "nonexec-slots.all"];

/** A checkout of kairn, built, as a peer. */
export function kairnPeer(name, root) {
  const program = join(root, "bin", "kairn");
  const help = spawnSync(process.execPath, [program, "dev", "--help"], { encoding: "utf8" }).stdout;
  // Earlier versions had no such flag.
  const quiet = help.includes("--quiet") ? ["--quiet"] : [];
  return {
    name,
    command: (port, folder) => [
      ...[process.execPath, program, "dev", "--datadir", folder, "--rpcport", `${port}`, "--wsport", "0"],
      ...["--balance", "1000000000", "--rpc.gascap", "0", "--block-time", "1s", ...quiet],
      ...POOL_SLOTS.flatMap((slots) => [`--txpool.${slots}`, "200000"]),
    ],
  };
}

/** Foundry's node as a peer. */
export function anvilPeer(binary) {
  const limits = ["--block-time", "1", "--gas-limit", "2000000000", "--balance", "1000000000"];
  return { name: "anvil", command: (port) => [binary, "--port", `${port}`, "-q", ...limits] };
}

/**
 * Starts a peer on a new folder and a free port.
 * @returns the running node, with the milliseconds and CPU seconds until its first answer
 */
export async function start({ name, command }) {
  const folder = mkdtempSync(join(tmpdir(), "kairn-pairs-"));
  const port = await freePort();
  const [program, ...args] = command(port, folder);
  const startedMs = performance.now();
  const child = spawn(program, args, { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - startedMs > GIVE_UP_MS)
      throw new Error(`${name} does not answer: ${args.join(" ")}`);
    await pause(3);
  }
  const startMs = performance.now() - startedMs;
  const cpuSeconds = processorTime(child.pid);
  const startCpu = cpuSeconds();
  let connection;
  return {
    ...{ name, url, startMs, startCpu, cpuSeconds },
    /** Opens a connection again when the node has closed it for being idle. */
    async rpc(method, params = []) {
      if (connection === undefined || connection.closed) connection = await open(url);
      return connection.rpc(method, params);
    },
    rssMiB: () => usage(child.pid).rssMiB,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      connection?.close();
      if (child.exitCode === null) child.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A reader of the CPU seconds of a process and its children, to the nanosecond; threads that have ended count as last seen. */
function processorTime(pid) {
  const threads = new Map();
  return () => {
    for (const id of tree(pid))
      for (const thread of readdirSync(`/proc/${id}/task`)) {
        try {
          threads.set(
            thread,
            Number(readFileSync(`/proc/${id}/task/${thread}/schedstat`, "latin1").split(" ", 1)),
          );
        } catch {} // it has ended
      }
    let sum = 0;
    for (const nanoseconds of threads.values()) sum += nanoseconds;
    return sum / 1e9;
  };
}

async function answers(url) {
  try {
    const connection = await open(url);
    const answer = await connection.post('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}');
    connection.close();
    return answer.includes('"result"');
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
