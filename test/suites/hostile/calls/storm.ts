import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../reads/rpc.ts";
import { hold } from "../row.ts";
import type { AttackedNode } from "../transports/attacked-node.ts";

/** Outside the range that Kaia reserves for precompiled contracts. */
const TO = "0x10000000000000000000000000000000000000aa";
const running = (code: string) => [{ to: TO }, "latest", { [TO]: { code: `0x${code}` } }];
/** JUMPDEST, PUSH1 0, JUMP: until the gas is used up. */
const LOOP = "5b600056";
/** A call of a precompiled contract with all gas, as init code: PUSH the input's size, the address, STATICCALL. */
const precompile = (address: string, size: string) => `5b5f5f61${size}5f60${address}5afa505f56`;
const ENDLESS = "{step:function(){for(;;);},fault:function(){},result:function(){return 1}}";

/** Accounts of a packed state that is loaded again and again. */
const LOADED = 10_000;

/** A state of many accounts, as `anvil_loadState` takes it. */
function packedState(): string {
  const addresses = Array.from(
    { length: LOADED },
    (_, at) => `0x${(0xabc0000 + at).toString(16).padStart(40, "0")}`,
  );
  const account = { nonce: 1, balance: "0x1", code: "0x", storage: {} };
  const accounts = Object.fromEntries(addresses.map((address) => [address, account]));
  return `0x${Buffer.from(JSON.stringify({ block: null, accounts })).toString("hex")}`;
}

const NO_GAS = /out of gas/;

/** The heaviest requests, one of each kind, and their results; the trace is of the blocks sealed by `fillBlocks`. */
export const HEAVY: readonly (readonly [method: string, params: readonly unknown[], endsIn: RegExp])[] = [
  ["eth_call", running(LOOP), NO_GAS],
  ["eth_call", running(`5b6001545060025450600056`), NO_GAS],
  // memory: MSTORE at increasing offsets
  ["eth_call", running("5f5b8080526201000001600156"), NO_GAS],
  ["eth_call", running(precompile("05", "0400")), NO_GAS],
  ["eth_call", running(precompile("08", "0c00")), NO_GAS],
  [
    "eth_call",
    [{ to: `0x${"00".repeat(19)}09`, data: `0x02e00000${"00".repeat(209)}` }, "latest"],
    /"result":"0x/,
  ],
  ["eth_estimateGas", running(LOOP), /gas required exceeds allowance/],
  ["eth_createAccessList", [{ data: "0x5b600054600101600055600056" }, "latest"], /"accessList"/],
  ["debug_traceCall", [{ data: `0x${LOOP}` }, "latest", {}], /the trace is too large/],
  ["debug_traceCall", [{ data: `0x${LOOP}` }, "latest", { tracer: ENDLESS }], /execution timeout/],
  [
    "debug_traceBlockByNumberRange",
    ["0x1", "latest", {}],
    /"traces":\[\{"txHash":"0x\w+","(result|error":"the trace is too large)/,
  ],
];

/** The same, plus loading and dumping packed states. */
export const HEAVY_AND_STATES: typeof HEAVY = [
  ...HEAVY,
  ["anvil_loadState", [packedState()], /"result":true/],
  ["anvil_dumpState", [], /"result":"0x1f8b/],
];

/** Makes blocks whose transactions loop until their gas is used up. */
export async function fillBlocks(port: number): Promise<void> {
  await ask(port, "anvil_setCode", [TO, `0x${LOOP}`]);
  const [from] = (await ask(port, "eth_accounts")) as string[];
  for (let block = 0; block < 2; block++) {
    await ask(port, "eth_sendTransaction", [{ from, to: TO, gas: "0x3d0900" }]);
    await ask(port, "evm_mine");
  }
}

/** Sends each heavy request once, two at a time, and checks that it ends at its gas, time or memory limit. */
export async function checkHeavy(port: number, requests = HEAVY_AND_STATES): Promise<void> {
  const agent = new Agent();
  const waiting = [...requests];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [method, params, endsIn] = next;
      const text = (await post(port, bodyOf(method, params), agent)) ?? "nothing";
      hold(endsIn.test(text) || TIMEOUT.test(text), `${method} returned ${text.slice(0, 300)}`);
    }
  };
  await Promise.all([lane(), lane()]);
}

/** Timeout errors of calls. */
export const TIMEOUT = /execution timeout|trace logger timeout|execution aborted \(timeout/;

/** Sends one request; the response, or undefined if the connection ended. */
export function post(
  port: number,
  body: string,
  agent: Agent,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request({
      port,
      host: "127.0.0.1",
      method: "POST",
      agent,
      headers,
      ...(signal && { signal }),
    });
    sent.on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        if (text.length < 1000) text += part;
      });
      answer.on("close", () => resolve(text));
    });
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}

export const bodyOf = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** Clients that send heavy requests one after the other until they are stopped. */
export function startStorm(
  port: number,
  clients: number,
  requests = HEAVY,
): { answers(): number; stop(): Promise<void> } {
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  let answers = 0;
  const client = async (first: number): Promise<void> => {
    for (let at = first; !left.signal.aborted; at++) {
      const [method, params] = requests[at % requests.length] as (typeof HEAVY)[number];
      if ((await post(port, bodyOf(method, params), agent, left.signal)) !== undefined) answers++;
      else await sleep(5);
    }
  };
  const all = Array.from({ length: clients }, (_, at) => client(at));
  return {
    answers: () => answers,
    async stop() {
      left.abort();
      await Promise.all(all);
      agent.destroy();
    },
  };
}

/** CPU time of a process in milliseconds, including its threads. */
export function cpuMs({ child }: Pick<AttackedNode, "child">): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}
