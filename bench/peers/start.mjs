// Starts, calls and stops the nodes that are compared.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../rpc/lib/free-port.mjs";
import { open } from "../rpc/lib/http.mjs";
import { tree, usage } from "../rpc/lib/proc.mjs";

const TIMEOUT_MS = 60_000;
/** How long a node may take to exit by itself. */
const STOP_MS = 10_000;
/** Without NODE_EXTRA_CA_CERTS, which some machines set: Node reads such certificates first, 40 ms of each start. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

/**
 * Starts a peer on a new folder and free ports.
 * @param {import("./peers.mjs").Peer} peer
 * @returns the running node, with the milliseconds and CPU seconds until its first response
 */
export async function start({ name, command, prepare, cwd, webSocket }) {
  const folder = mkdtempSync(join(tmpdir(), "kairn-bench-"));
  const ports = { http: await freePort(), ws: await freePort() };
  prepare?.(folder);
  const [program, ...args] = command(ports, folder);
  const startedMs = performance.now();
  const child = spawn(program, args, { stdio: "ignore", cwd, env });
  const url = `http://127.0.0.1:${ports.http}`;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - startedMs > TIMEOUT_MS)
      throw new Error(`${name} does not answer: ${args.join(" ")}`);
    await pause(3);
  }
  const startMs = performance.now() - startedMs;
  const cpuSeconds = processorTime(child.pid);
  const startCpu = cpuSeconds();
  let connection;
  return {
    ...{ name, url, startMs, startCpu, cpuSeconds, pid: child.pid },
    ws: webSocket === undefined ? undefined : `ws://127.0.0.1:${webSocket === "own" ? ports.ws : ports.http}`,
    /** Reopens a connection that the node has closed for being idle. */
    async rpc(method, params = []) {
      if (connection === undefined || connection.closed) connection = await open(url);
      return connection.rpc(method, params);
    },
    rssMiB: () => usage(child.pid).rssMiB,
    async stop() {
      connection?.close();
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Interrupts a process, and after a while kills it and its children if they still run. */
async function end(child) {
  const processes = tree(child.pid);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode === null) {
    child.kill("SIGINT");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await ended;
    clearTimeout(timer);
  }
  for (const id of processes) {
    try {
      process.kill(id, "SIGKILL");
    } catch {} // it has ended
  }
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
