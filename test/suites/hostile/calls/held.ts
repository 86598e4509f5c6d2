import { setTimeout as sleep } from "node:timers/promises";
import { answer, ask, begin, spentMs } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, askMs, onNode } from "../transports/attacked-node.ts";

/** Maximum CPU time in milliseconds for which the main thread may be blocked: a slice, garbage collection, and parsing. */
const MAX_HELD = 300;
const MODULES = "eth,kaia,debug,trace,ots,anvil,evm";
const GAS = "0x5f5e100";
/** Calls an empty account until its gas is used up: some 36,000 calls. */
const CALLS = {
  address: "0x000000000000000000000000000000000000ca11",
  code: "0x5b5f5f5f5f5f61beef6064f1505a620186a0105f57",
};
/** Writes slot after slot until its gas is used up: some 4,500. */
const SLOTS = { address: "0x0000000000000000000000000000000000005707", code: "0x5b5a80555a61c350105f57" };

const account = (i: number) => `0x${i.toString(16).padStart(40, "0")}`;
const word = (i: number) => `0x${i.toString(16).padStart(64, "0")}`;
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const overrides = (count: number) =>
  Object.fromEntries(times(count, (i) => [account(i + 1), { balance: "0x1" }]));
const slots = (count: number) => Object.fromEntries(times(count, (i) => [word(i), word(1)]));

type Request = readonly [name: string, method: string, params: readonly unknown[]];

/** Requests about the blocks with those transactions. */
function readings(calls: string, writes: string, block: string): readonly Request[] {
  const kinds = ["trace", "stateDiff"];
  return [
    ["a replay with many calls", "trace_replayTransaction", [calls, kinds]],
    ["a replay with its steps", "trace_replayTransaction", [writes, ["vmTrace"]]],
    ["all replays of a block", "trace_replayBlockTransactions", [block, kinds]],
    ["many calls as a list", "trace_transaction", [calls]],
    ["those of a block", "trace_block", [block]],
    ["those of a chain", "trace_filter", [{ fromBlock: "0x0", toBlock: "latest" }]],
    ["a place deep in a tree", "trace_get", [calls, times(100_000, () => "0x0")]],
    ["many calls with depths", "ots_traceTransaction", [calls]],
    ["many calls inside", "ots_getInternalOperations", [calls]],
    ["a page of an account", "ots_searchTransactionsBefore", [CALLS.address, "0x0", "0xffff"]],
    ["a page beyond all", "ots_getBlockTransactions", [block, "0xffffffffffffffff", "0xffffffffffffffff"]],
    ["struct logs", "debug_traceBlockByNumber", [block, {}]],
    [
      "proofs of 20,000 slots",
      "eth_getProof",
      [SLOTS.address, times(20_000, (i) => `0x${i.toString(16)}`), "latest"],
    ],
  ];
}

/** Calls that exceed limits. */
function calls(): readonly Request[] {
  const to = SLOTS.address;
  const many = times(30_000, () => [{ to, gas: GAS }, ["trace"]]);
  const tracerConfig = times(1000, () => ({})).reduce<object>((inner) => ({ muxTracer: inner }), {});
  return [
    ["40,000 overrides", "eth_call", [{ to }, "latest", overrides(40_000)]],
    ["30,000 slots of one", "eth_call", [{ to }, "latest", { [to]: { state: slots(30_000) } }]],
    ["as many as may be", "eth_call", [{ to: account(1) }, "latest", overrides(10_000)]],
    [
      "calls as deep as may be",
      "eth_call",
      [{ to, gas: "0x2faf080" }, "latest", { [to]: { code: "0x5b5f5f5f5f5f305af1505f56" } }],
    ],
    [
      "5 MB given back",
      "eth_call",
      [{ to, gas: "0x2faf080" }, "latest", { [to]: { code: "0x624c4b405ff3" } }],
    ],
    [
      "5 MB in a revert",
      "eth_call",
      [{ to, gas: "0x2faf080" }, "latest", { [to]: { code: "0x624c4b405ffd" } }],
    ],
    [
      "40,000 in a simulation",
      "eth_simulateV1",
      [{ blockStateCalls: [{ stateOverrides: overrides(40_000) }] }, "latest"],
    ],
    [
      "moves of value in calls",
      "eth_simulateV1",
      [{ blockStateCalls: [{ calls: [{ to: CALLS.address }] }], traceTransfers: true }, "latest"],
    ],
    ["30,000 calls to trace", "trace_callMany", [many]],
    ["200,000 kinds", "trace_call", [{ to }, times(200_000, () => "trace")]],
    ["a transaction of nested lists", "trace_rawTransaction", [`0x${"c1".repeat(2_000_000)}`, ["trace"]]],
    ["a block of nested lists", "debug_traceBlock", [`0x${"c1".repeat(2_000_000)}`, {}]],
    ["a bundle of nested lists", "debug_isGaslessTx", [times(2, () => `0x${"c1".repeat(1_000_000)}`)]],
    ["20,000 bundles", "debug_isGaslessTx", [times(20_000, () => `0x${"f8".repeat(100)}`)]],
    ["nested tracers", "debug_traceCall", [{ to }, "latest", { tracer: "muxTracer", tracerConfig }]],
    ["an endless time", "debug_traceCall", [{ to }, "latest", { tracer: "callTracer", timeout: "9999999h" }]],
    [
      "40,000 entries of a list",
      "eth_createAccessList",
      [{ to: account(1), accessList: times(40_000, (i) => ({ address: account(i), storageKeys: [] })) }],
    ],
    [
      "10,000 authorizations",
      "eth_estimateGas",
      [
        {
          to: account(1),
          authorizationList: times(10_000, (i) => ({
            chainId: "0x1",
            address: account(i),
            nonce: "0x0",
            yParity: "0x0",
            r: "0x1",
            s: "0x1",
          })),
        },
      ],
    ],
  ];
}

/** What is measured of a node. */
type Measured = Pick<AttackedNode, "child" | "port">;

/** @returns the maximum CPU time of the main thread during which `eth_blockNumber` got no response */
export async function heldWhile(node: Measured, running: Promise<unknown>): Promise<number> {
  return Math.max(...(await heldTimes(node, running)));
}

/** As `heldWhile`, of each call. */
export function heldTimes(node: Measured, running: Promise<unknown>): Promise<number[]> {
  return heldAsking(node, running, () => askMs(node.port));
}

/** As `heldTimes`, with calls of another kind. */
export async function heldAsking(
  node: Pick<AttackedNode, "child">,
  running: Promise<unknown>,
  ask: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [0];
  let isOver = false;
  void running.finally(() => (isOver = true));
  while (!isOver) {
    const before = spentMs(node);
    await ask();
    times.push(Math.round(spentMs(node) - before));
    await sleep(5);
  }
  await running;
  return times;
}

async function mined(node: AttackedNode, to: string): Promise<string> {
  const [from] = (await ask(node.port, "eth_accounts")) as string[];
  const hash = await ask(node.port, "eth_sendTransaction", [{ from, to, gas: GAS }]);
  await ask(node.port, "anvil_mine");
  return hash as string;
}

/** Requests with odd or extreme parameters, and how long each blocks the main thread. */
export const heldRow: HostileRow = {
  id: "L23",
  promise: "no odd request of traces, explorers, simulations, calls or proofs blocks the main thread",
  run: () =>
    onNode(
      async (node) => {
        for (const { address, code } of [CALLS, SLOTS])
          await ask(node.port, "anvil_setCode", [address, code]);
        const sent = [await mined(node, CALLS.address), await mined(node, SLOTS.address)] as const;
        const all = [...readings(...sent, "0x1"), ...calls()];
        let worst = { name: "", ms: 0 };
        for (const [name, method, params] of all) {
          const asked = begin(node.port, method, params);
          const ms = await heldWhile(node, asked);
          hold(!(await asked).includes("-32603"), `${name}: ${await asked}`);
          if (ms > worst.ms) worst = { name, ms };
          hold(ms < MAX_HELD, `${name} (${method}) held the main thread for ${ms} ms of its time`);
        }
        const many = await answer(node.port, "eth_call", [{ to: account(1) }, "latest", overrides(10_001)]);
        hold(many.error?.code === -32602, `10,001 overrides: ${JSON.stringify(many)}`);
        return `${all.length} requests, the longest ${worst.ms} ms (${worst.name})`;
      },
      ...["--rpcapi", MODULES, "--block-time", "1000s"],
    ),
};
