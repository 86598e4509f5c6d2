// `npm run bench -- tracing --kcn PATH [--rounds N] [--loops 2000]`: server CPU of a traced call, kairn beside the Go node
// (v2.2.1). Both run the same chain of one validator, whose genesis block has a contract that runs a loop of storage,
// memory, a hash, a call and a log. Each tracer is warmed up on both nodes and then measured by turns; the median is printed.
// Responses are compared, so that neither is fast by leaving something out.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { root } from "../scripts/lib.mjs";
import { freePort } from "./rpc/lib/free-port.mjs";
import { load1, usage } from "./rpc/lib/proc.mjs";

// Funded by the genesis block and without rewards, so that its balance is the same on both nodes.
const CALLER = "0x3e2ac308cd78ac2fe162f9522deb2b56d9da9499";
const TARGET = "000000000000000000000000000000000000bbbb";
const CALLEE = "000000000000000000000000000000000000cccc";
/** Minimum CPU seconds of one measurement. */
const MIN_CPU = 0.6;
const MAX_CALLS = 60;

/** Loops as often as requested: counts in slot 7, hashes, calls without state, logs. */
const loopCode = (rounds) =>
  [
    `61${rounds.toString(16).padStart(4, "0")}`,
    "5b600754600101600755",
    "80600052602a602052",
    "604060002050",
    "602060406000600061cccc5afa50",
    "8060206040a1",
    "600190038060035700",
  ].join("");

const TRACERS = [
  ...["callTracer", "prestateTracer", "4byteTracer", "noopTracer", "opcountTracer", "revertTracer"],
  ...["unigramTracer", "bigramTracer", "trigramTracer"],
];

/** The methods called, by their names in the table. */
function calls() {
  const request = { from: CALLER, to: `0x${TARGET}`, gas: "0x2faf080" };
  const trace = (options) => ({ method: "debug_traceCall", params: [request, "latest", options] });
  return {
    ...Object.fromEntries(TRACERS.map((tracer) => [tracer, trace({ tracer, timeout: "60s" })])),
    createAccessList: { method: "eth_createAccessList", params: [request, "latest"] },
    "struct log": trace({ loggerTimeout: "60s" }),
    "struct log without memory": trace({ disableMemory: true, loggerTimeout: "60s" }),
    "no tracer (eth_call)": { method: "eth_call", params: [request, "latest"] },
  };
}

/** Measures and prints the table. @param kcn - path of the Go node's binary */
export async function benchTracing(kcn, { rounds = 3, loops = 2000, only = "" } = {}) {
  const work = mkdtempSync(join(tmpdir(), "kairn-tracing-"));
  const nodes = [];
  try {
    const genesis = writeGenesis(work, loops);
    nodes.push(
      await startNode("kairn", [process.execPath, join(root, "bin", "kairn")], "node", { work, genesis }),
    );
    if (kcn !== undefined)
      nodes.push(await startNode("Go node", [resolve(kcn)], undefined, { work, genesis }));
    console.log(
      `CPU ms of a call, ${loops} rounds of the loop, medians of ${rounds} by turns, load ${load1()}\n`,
    );
    console.log(
      `| | ${nodes.map(({ name }) => name).join(" | ")} | ratio | answers |\n|---|${nodes.map(() => "---|").join("")}---|---|`,
    );
    for (const [name, call] of Object.entries(calls())) {
      if (only !== "" && !name.includes(only)) continue;
      console.log(await measured(name, call, nodes, rounds));
    }
  } finally {
    await Promise.all(nodes.map(stop));
    rmSync(work, { recursive: true, force: true });
  }
}

async function measured(name, call, nodes, rounds) {
  const served = new Map();
  for (const node of nodes) {
    try {
      const digest = digestOf(await ask(node, call));
      served.set(node, { digest, count: await warm(node, call), times: [] });
    } catch (error) {
      console.error(error.message);
    }
  }
  for (let round = 0; round < rounds; round++)
    for (const [node, { count, times }] of served) times.push(await cpuOfCalls(node, call, count));
  const [ours, theirs] = nodes.map((node) => median(served.get(node)?.times ?? []));
  const cells = [ours, theirs].slice(0, nodes.length).map((time) => time?.toFixed(1) ?? "–");
  const digests = new Set([...served.values()].map(({ digest }) => digest));
  const answers = served.size < 2 ? "–" : digests.size === 1 ? "equal" : "differ";
  return `| ${name} | ${cells.join(" | ")} | ${ours && theirs ? (ours / theirs).toFixed(2) : "–"} | ${answers} |`;
}

function median(times) {
  return times.sort((a, b) => a - b)[times.length >> 1];
}

/** Calls until the code is warm, and returns how many calls make a measurement. */
async function warm(node, call) {
  await cpuOfCalls(node, call, 8);
  const each = Math.max(0.2, await cpuOfCalls(node, call, 8));
  await cpuOfCalls(node, call, 16);
  return Math.max(4, Math.min(MAX_CALLS, Math.ceil((MIN_CPU * 1000) / each)));
}

/** Milliseconds of server CPU of one call. */
async function cpuOfCalls(node, call, count) {
  const before = usage(node.child.pid).cpu;
  for (let i = 0; i < count; i++) await ask(node, call);
  return ((usage(node.child.pid).cpu - before) * 1000) / count;
}

/** The pieces of a response. @throws Error if it is an error */
async function ask(node, { method, params }) {
  const parts = await post(node, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const head = parts[0].subarray(0, 200).toString();
  if (head.includes('"error":{"code"')) throw new Error(`${node.name} ${method}: ${head}`);
  return parts;
}

/** The pieces of a response as they arrive, since joining a large one would cost the client more than it costs the server. */
function post({ agent, port }, body) {
  return new Promise((done, fail) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const call = request({ host: "127.0.0.1", port, agent, method: "POST", headers }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => done(parts));
      answer.on("error", fail); // the Go node cuts off a response that takes it longer than 30 s
    });
    call.on("error", fail);
    call.end(body);
  });
}

/**
 * Digest of a result; independent of the order of its members, and of the accounts of an access list, which the Go
 * node takes from a map.
 */
function digestOf(parts) {
  const { result } = JSON.parse(Buffer.concat(parts).toString());
  result?.accessList?.sort((a, b) => (a.address < b.address ? -1 : 1));
  const text = JSON.stringify(sorted(result));
  return createHash("sha256").update(text).digest("hex");
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function writeGenesis(work, loops) {
  const path = join(work, "genesis.json");
  const genesis = JSON.parse(
    readFileSync(join(root, "test/fixtures/golden/genesis/kaia-2.2.1.json"), "utf8"),
  );
  genesis.alloc[TARGET] = { code: `0x${loopCode(loops)}`, balance: "0x0" };
  genesis.alloc[CALLEE] = { code: "0x60015f5260205ff3", balance: "0x0" };
  writeFileSync(path, JSON.stringify(genesis));
  return path;
}

async function startNode(name, command, verb, { work, genesis }) {
  const folder = join(work, name.replace(" ", "-"));
  const [program, ...words] = command;
  const port = await freePort();
  spawnSync(program, [...words, "init", "--datadir", folder, genesis], { stdio: "ignore" });
  const flags = {
    ...{ datadir: folder, networkid: "940625", nodekey: join(root, "test/fixtures/golden/genesis/nodekey") },
    ...{ rpcport: `${port}`, rpcapi: "eth,debug,net", port: `${await freePort()}` },
  };
  const child = spawn(
    program,
    [
      ...[...words, ...(verb === undefined ? ["--ntp.disable"] : [verb, "--compat", "kaia"])],
      ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
      ...["--rpc", "--nodiscover"],
    ],
    { stdio: "ignore" },
  );
  const node = { name, child, port, agent: new Agent({ keepAlive: true, maxSockets: 1 }) };
  await answering(node);
  return node;
}

/** Waits until the node has a block beyond the genesis block. */
async function answering(node) {
  for (let left = 600; ; left--) {
    try {
      const [text] = await ask(node, { method: "eth_blockNumber", params: [] });
      if (Number(JSON.parse(text).result) > 0) return;
    } catch (error) {
      if (left === 0) throw error;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function stop({ child, agent }) {
  agent.destroy();
  child.kill("SIGTERM");
  await new Promise((done) => child.once("exit", done));
}
