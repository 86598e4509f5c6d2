// `node bench/startup.mjs [--runs 10] [node flags]`: starts `kairn dev` on new data folders and prints the medians of
// the time to the first response, the CPU time until then, and the memory in use one second later.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ensureBuilt, ensureInstalled, root } from "../scripts/lib.mjs";
import { freePort } from "./rpc/lib/free-port.mjs";

const PAUSE_MS = 2;
const TIMEOUT_MS = 30_000;
/** Without NODE_EXTRA_CA_CERTS, which some machines set: Node reads such certificates first, 40 ms of each start. */
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;

const args = process.argv.slice(2);
const runs = args[0] === "--runs" ? Number(args.splice(0, 2)[1]) : 10;
ensureInstalled();
ensureBuilt();
const measured = [];
for (let i = 0; i < runs; i++) measured.push(await measure(args, await freePort()));
for (const [key, unit] of [
  ["answerMs", "ms to the first answer"],
  ["processorMs", "ms of processor time until then"],
  ["memoryMiB", "MiB resident, idle"],
]) {
  const values = measured.map((run) => run[key]).sort((a, b) => a - b);
  if (values[0] === undefined) continue;
  console.log(`${values[runs >> 1].toFixed(0).padStart(6)} ${unit} (best ${values[0].toFixed(0)})`);
}

async function measure(flags, port) {
  const folder = mkdtempSync(join(tmpdir(), "kairn-startup-"));
  const dev = ["dev", "--datadir", folder, "--rpcport", `${port}`, "--wsport", "0"];
  const started = performance.now();
  const node = spawn(process.execPath, [...flags, join(root, "bin", "kairn"), ...dev], {
    stdio: "ignore",
    env,
  });
  try {
    while (!(await answers(port))) {
      if (performance.now() - started > TIMEOUT_MS) throw new Error("kairn did not respond");
      await pause(PAUSE_MS);
    }
    const answerMs = performance.now() - started;
    const processorMs = processorTime(node.pid);
    await pause(1000);
    return { answerMs, processorMs, memoryMiB: residentMemory(node.pid) };
  } finally {
    const ended = new Promise((resolve) => node.once("exit", resolve));
    if (node.exitCode === null) node.kill("SIGINT");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

function answers(port) {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
  const headers = { "content-type": "application/json" };
  return new Promise((resolve) => {
    const call = request({ host: "127.0.0.1", port, method: "POST", headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode === 200));
    });
    call.once("error", () => resolve(false)).end(body);
  });
}

/** CPU milliseconds of all threads; undefined if the system does not report them (only Linux does). */
function processorTime(pid) {
  if (process.platform !== "linux") return undefined;
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6;
}

function residentMemory(pid) {
  if (process.platform !== "linux") return undefined;
  return Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
