import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { startNode } from "../../../e2e/started-node.ts";
import { ask, timesWhile } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { onNode } from "../transports/attacked-node.ts";
import { holdTimes } from "./hold-times.ts";
import { bodyOf, post } from "./storm.ts";

const MODULES = ["--rpcapi", "eth,debug,net,web3,anvil,evm"];
/** Duration of the attack. */
const ATTACK_MS = 8000;
/** The gas limit of a call, which a transaction may have too. */
const GAS = "0x1dcd6500";
const CODE = "0x10000000000000000000000000000000000000aa";
const TRANSFERS = 4000;
const SENDS_AT_ONCE = 50;
/** Milliseconds: two slices and a garbage collection, or steps that V8 has not compiled yet. The 99th percentile is the worst of some 60. */
const MAX_HELD = 20;
/** Maximum time to stop while a block is executed. */
const END_MS = 3000;

/** Calls a precompiled contract with all gas, again and again. */
const precompile = (address: string, size: string) => `5b5f5f61${size}5f60${address}5afa505f56`;
/** Codes that keep a transaction busy for seconds. */
const HEAVY: readonly (readonly [name: string, code: string])[] = [
  ["134 M rounds of BLAKE2", "630800000060e01b5f525f5f60d55f60095afa5000"],
  ["KECCAK256 of a megabyte", "5b621000005f20505f56"],
  ["MODEXP", precompile("05", "0400")],
  ["pairings", precompile("08", "0c00")],
];

/** The transactions, one of each kind. */
async function heavyTransactions(port: number): Promise<readonly object[]> {
  const [from] = (await ask(port, "eth_accounts")) as string[];
  const calls: object[] = [];
  for (const [at, [, code]] of HEAVY.entries()) {
    const to = `${CODE.slice(0, -2)}${(0xb0 + at).toString(16)}`;
    await ask(port, "anvil_setCode", [to, `0x${code}`]);
    calls.push({ from, to, gas: GAS });
  }
  return calls;
}

/** Sends them one after the other until the time is over; each returns once its block is sealed. */
async function mineFor(port: number, calls: readonly object[], timeMs: number): Promise<number> {
  const endMs = performance.now() + timeMs;
  let mined = 0;
  for (let at = 0; performance.now() < endMs; at++) {
    await ask(port, "eth_sendTransaction", [calls[at % calls.length]]);
    mined++;
  }
  return mined;
}

/** Requests the pending block until the time is over. */
async function lookFor(port: number, timeMs: number): Promise<number> {
  const agent = new Agent();
  const endMs = performance.now() + timeMs;
  let seen = 0;
  for (; performance.now() < endMs; seen++) {
    const text = await post(port, bodyOf("eth_getBlockByNumber", ["pending", true]), agent);
    hold(text?.includes('"transactions":[{') === true, `pending: ${text?.slice(0, 300)}`);
  }
  return seen;
}

/** Puts transfers into the pool, none of which is sealed. One is sealed before: a process's first block starts the interpreter. */
async function fillPool(port: number): Promise<void> {
  const [from, to] = (await ask(port, "eth_accounts")) as string[];
  const send = () => ask(port, "eth_sendTransaction", [{ from, to, value: "0x1", gas: "0x5208" }]);
  await send();
  await ask(port, "evm_setAutomine", [false]);
  for (let sent = 0; sent < TRANSFERS; sent += SENDS_AT_ONCE)
    await Promise.all(Array.from({ length: SENDS_AT_ONCE }, send));
}

/** How much of the node's time transactions and readers of the pending block can use. */
export const blockRows: readonly HostileRow[] = [
  {
    id: "L12",
    promise: "eth_blockNumber stays fast while blocks of the heaviest transactions are executed",
    run: () =>
      onNode(
        async (node) => {
          const { port } = node;
          const calls = await heavyTransactions(port);
          const idle = await timesWhile(node, sleep(2000));
          const mining = mineFor(port, calls, ATTACK_MS);
          const beside = await timesWhile(node, mining);
          const mined = await mining;
          hold(mined > 0, "no block was sealed");
          return holdTimes({ idle, beside, p99: "clock" }, `${mined} such blocks`);
        },
        ...MODULES,
      ),
  },
  {
    id: "L12p",
    promise: "the same while the pending block has such transactions, and is read",
    run: () =>
      onNode(
        async (node) => {
          const { port } = node;
          const calls = await heavyTransactions(port);
          await ask(port, "evm_setAutomine", [false]);
          for (const call of calls) await ask(port, "eth_sendTransaction", [call]);
          const idle = await timesWhile(node, sleep(2000));
          const looking = lookFor(port, ATTACK_MS);
          const beside = await timesWhile(node, looking);
          return holdTimes({ idle, beside, p99: "clock" }, `${await looking} looks`);
        },
        ...MODULES,
      ),
  },
  {
    id: "L12t",
    promise: "the same while blocks of thousands of transfers are sealed",
    run: () =>
      onNode(
        async (node) => {
          const { port } = node;
          await fillPool(port);
          const idle = await timesWhile(node, sleep(2000));
          const sealing = ask(port, "anvil_mine", ["0x4"]);
          const beside = await timesWhile(node, sealing);
          await sealing;
          return holdTimes(
            { idle, beside, p99: { maxHeldMs: MAX_HELD } },
            `blocks of ${TRANSFERS} transfers`,
          );
        },
        ...MODULES,
      ),
  },
  {
    id: "L12d",
    promise: "SIGTERM stops the node cleanly while a block is executed, and discards the block",
    async run() {
      const node = await startNode(...MODULES);
      const port = Number(new URL(node.endpoints.http).port);
      const [call] = await heavyTransactions(port);
      let isOver = false;
      const sent = ask(port, "eth_sendTransaction", [call])
        .catch(() => {})
        .finally(() => (isOver = true));
      await sleep(1000);
      const number = await ask(port, "eth_blockNumber");
      hold(!isOver, "the transaction took no time");
      const begun = performance.now();
      node.child.kill("SIGTERM");
      const code = await Promise.race([node.exited, sleep(10_000, "running")]);
      const took = performance.now() - begun;
      if (code === "running") node.child.kill("SIGKILL");
      await sent;
      hold(code === 0 && took < END_MS, `exit code ${code} after ${took.toFixed(0)} ms`);
      hold(number === "0x0", `the block was there before: ${number}`);
      return `exit code 0 after ${took.toFixed(0)} ms`;
    },
  },
];
