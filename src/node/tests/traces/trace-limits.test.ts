import { afterAll, beforeAll, expect, it } from "vitest";
import { createNode, type Node } from "../../index.ts";

const LOOP = `0x${"74".repeat(20)}`;
const TOO_LONG = /the traces are larger than 200 characters: narrow the request/;

let node: Node;
let hash: string;
const callOn = (on: Node, method: string, ...params: unknown[]) => on.provider.request({ method, params });
const call = (method: string, ...params: unknown[]) => callOn(node, method, ...params);

beforeAll(async () => {
  node = await createNode({ http: { port: 0 }, traceLimits: { characters: 200 } });
  const [from] = (await call("eth_accounts")) as string[];
  await call("anvil_setCode", LOOP, "0x5b600056");
  hash = (await call("eth_sendTransaction", { from, to: LOOP, gas: "0x186a0" })) as string;
});
afterAll(() => node.stop());

it("--rpc.trace-timeout ends a trace, whatever its caller requests", async () => {
  await using brief = await createNode({ traceLimits: { timeMs: 200 } });
  await callOn(brief, "anvil_setCode", LOOP, "0x5b600056");
  const endless = { tracer: "{step(){for(;;){}},fault(){},result(){}}", timeout: "30s" };
  const began = performance.now();
  const trace = callOn(brief, "debug_traceCall", { to: LOOP }, "latest", endless);
  await expect(trace).rejects.toThrow("execution timeout");
  expect(performance.now() - began).toBeLessThan(20_000); // of 30 s
});

it.each([
  ["debug_traceTransaction", () => [hash]],
  ["debug_traceBlockByNumber", () => ["0x1", {}]],
  ["trace_transaction", () => [hash]],
  ["trace_block", () => ["0x1"]],
  ["trace_replayBlockTransactions", () => ["0x1", ["trace", "vmTrace"]]],
] as const)("--rpc.max-trace-size bounds %s", async (method, params) => {
  await expect(call(method, ...params())).rejects.toThrow(TOO_LONG);
});

it("traces that are short enough are shown", async () => {
  const shown = await call("debug_traceTransaction", hash, { tracer: "4byteTracer" });
  expect(shown).toEqual({});
});
