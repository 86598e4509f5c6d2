import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startNode } from "../../e2e/started-node.ts";
import { compileBombs } from "./calls/compile-bombs.ts";
import { holdTimes } from "./calls/hold-times.ts";
import {
  bodyOf,
  checkHeavy,
  cpuMs,
  fillBlocks,
  HEAVY,
  HEAVY_AND_STATES,
  post,
  startStorm,
  TIMEOUT,
} from "./calls/storm.ts";
import { timesWhile } from "./reads/rpc.ts";
import { type HostileRow, hold } from "./row.ts";
import { memoryOf, onNode } from "./transports/attacked-node.ts";

const MODULES = ["--rpcapi", "eth,debug,net,web3,anvil,evm"];
const CLIENTS = 32;
/** Milliseconds of a core in 2 s: less means that there was no storm. */
const WORK_MS = 500;
/** Milliseconds of a core in the second after it. */
const REST_MS = 300;
const BATCH = 500;
/** CPU time of the main thread from a small call to its response, in milliseconds: a slice and a garbage collection. */
const MAX_HELD = 10;
/** Code that hashes 1,024 bytes until its gas is used up: half a second for 50,000,000 gas, compiled or not. */
const HASHING = "0x5b6104005f20505f56";

/** Times of a small call during a storm, compared with those of the idle node and of the machine. */
function besideStorm(requests: typeof HEAVY, p99: Parameters<typeof holdTimes>[0]["p99"]): Promise<string> {
  return onNode(
    async (node) => {
      const { port } = node;
      await fillBlocks(port);
      // errors would be a light storm
      await checkHeavy(
        port,
        requests.filter((request) => !HEAVY.includes(request)),
      );
      const idle = await timesWhile(node, sleep(2000));
      const start = cpuMs(node);
      const storm = startStorm(port, CLIENTS, requests);
      await sleep(1000);
      const beside = await timesWhile(node, sleep(6000));
      const answers = storm.answers();
      const worked = cpuMs(node) - start;
      await storm.stop();
      hold(answers > 0 && worked > WORK_MS, `${answers} responses, ${worked} ms of a core`);
      return holdTimes({ idle, beside, p99 }, `${answers} heavy answers`);
    },
    ...MODULES,
  );
}

/** How much of the node's time and memory callers can use. */
export const calls: readonly HostileRow[] = [
  {
    id: "L5",
    promise: "eth_blockNumber stays fast during the heaviest calls of 32 clients",
    run: () => besideStorm(HEAVY, "clock"),
  },
  {
    id: "L5s",
    promise: "the same while packed states are loaded and dumped",
    run: () => besideStorm(HEAVY_AND_STATES, { maxHeldMs: MAX_HELD }),
  },
  {
    id: "L5h",
    promise: "each of the heaviest calls runs until its gas, time or memory limit",
    isLong: true,
    run: () =>
      onNode(
        async ({ port }) => {
          await fillBlocks(port);
          await checkHeavy(port);
          return `${HEAVY_AND_STATES.length} calls`;
        },
        ...MODULES,
      ),
  },
  {
    id: "L20",
    promise:
      "contracts designed to be costly to compile delay nobody, and stay within the memory limit of compiled code",
    run: compileBombs,
  },
  {
    id: "L5b",
    promise: "calls of disconnected clients are not executed",
    run: () =>
      onNode(
        async (node) => {
          await fillBlocks(node.port);
          const start = cpuMs(node);
          const storm = startStorm(node.port, CLIENTS);
          await sleep(2000);
          const worked = cpuMs(node) - start;
          await storm.stop();
          hold(worked > WORK_MS, `the storm took ${worked} ms of a core`);
          await sleep(1000);
          const before = cpuMs(node);
          await sleep(1000);
          const used = cpuMs(node) - before;
          hold(used < REST_MS, `${used} ms of a core in the second after the first`);
          return `${worked} ms of a core in 2 s of 32 clients, ${used} ms in a second, 1 s after they left`;
        },
        ...MODULES,
      ),
  },
  {
    id: "L5c",
    promise: "a batch of calls has the time limit of one, and its responses say so",
    run: () =>
      onNode(
        async ({ endpoints }) => {
          const call = { to: "0x10000000000000000000000000000000000000aa" };
          const code = HASHING;
          const gas = { gas: "0x2faf080" };
          const one = { jsonrpc: "2.0", method: "eth_call" };
          const params = [{ ...call, ...gas }, "latest", { [call.to]: { code } }];
          const body = JSON.stringify(Array.from({ length: BATCH }, (_, id) => ({ ...one, id, params })));
          const headers = { "content-type": "application/json" };
          const begun = performance.now();
          const response = await fetch(endpoints.http, { method: "POST", headers, body });
          const answers = (await response.json()) as { error?: { message: string } }[];
          const took = performance.now() - begun;
          const late = answers.filter(({ error }) => TIMEOUT.test(error?.message ?? "")).length;
          const spent = answers.filter(({ error }) => /out of gas/.test(error?.message ?? "")).length;
          hold(answers.length === BATCH, `${answers.length} answers`);
          hold(
            late > 0 && late + spent === BATCH,
            `${late} late, ${spent} out of gas, the last ${JSON.stringify(answers.at(-1))}`,
          );
          hold(took < 8000, `${took.toFixed(0)} ms`);
          return `${BATCH} loops of 50,000,000 gas: ${(took / 1000).toFixed(1)} s, ${spent} out of gas, ${late} told of the time`;
        },
        ...MODULES,
      ),
  },
  {
    id: "L5d",
    promise: "SIGTERM stops the node cleanly during the storm",
    async run() {
      const node = await startNode(...MODULES);
      const port = Number(new URL(node.endpoints.http).port);
      await fillBlocks(port);
      const start = cpuMs(node);
      const storm = startStorm(port, CLIENTS);
      try {
        await sleep(2000);
        const worked = cpuMs(node) - start;
        hold(worked > WORK_MS, `the storm took ${worked} ms of a core`);
        const begun = performance.now();
        node.child.kill("SIGTERM");
        const code = await Promise.race([node.exited, sleep(10_000, "running")]);
        const took = performance.now() - begun;
        hold(code === 0, `after ${took.toFixed(0)} ms: ${code}, ${node.printed.stderr}`);
        return `exit code 0 after ${(took / 1000).toFixed(1)} s`;
      } finally {
        node.child.kill("SIGKILL");
        await storm.stop();
        await node.stop();
      }
    },
  },
  {
    id: "L6",
    promise: "memory returns after the storm",
    run: () =>
      onNode(
        async (node) => {
          await fillBlocks(node.port);
          const agent = new Agent();
          for (const [method, params] of HEAVY.slice(0, 2))
            await post(node.port, bodyOf(method, params), agent);
          await sleep(12_000);
          const before = memoryOf(node);
          const storm = startStorm(node.port, CLIENTS);
          let max = before;
          for (let i = 0; i < 20; i++) {
            await sleep(400);
            max = Math.max(max, memoryOf(node));
          }
          await storm.stop();
          await sleep(15_000);
          const after = memoryOf(node);
          const figures = `${before.toFixed(0)} MiB before, ${max.toFixed(0)} within, ${after.toFixed(0)} after`;
          hold(after < before * 1.3, figures);
          return figures;
        },
        ...MODULES,
      ),
    isLong: true,
  },
];
