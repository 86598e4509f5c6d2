import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { createNode, type Node } from "../../index.ts";

/** Counts the opcodes of a transaction. */
const COUNTING = `{ n: 0, step: function() { this.n++ }, fault: function() {}, result: function() { return this.n } }`;
/** Init code: PUSH1 1, PUSH1 0, SSTORE, STOP. */
const INIT_CODE = "0x600160005500";
const REFUSAL = "Only predefined tracers are supported";

describe("tracers written by the caller", () => {
  let node: Node;
  let hash: string;
  const request = (method: string, params: Json[]) => node.provider.request({ method, params });

  beforeAll(async () => {
    node = await createNode({ http: { port: 0 }, unsafeDebugDisabled: true });
    const [from] = (await request("eth_accounts", [])) as [string];
    hash = (await request("eth_sendTransaction", [{ from, data: INIT_CODE, gas: "0x30d40" }])) as string;
  });
  afterAll(() => node.stop());

  async function overHttp(method: string, params: Json[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(node.endpoints.http as string, { method: "POST", headers, body });
    return answer.json();
  }

  it("watch a transaction, a call, a block and a range of blocks", async () => {
    const options = { tracer: COUNTING };
    expect(await request("debug_traceTransaction", [hash, options])).toBe(4);
    expect(await request("debug_traceCall", [{ data: INIT_CODE, gas: "0x30d40" }, "latest", options])).toBe(
      4,
    );
    const range = await request("debug_traceBlockByNumberRange", ["0x1", "0x1", options]);
    expect(range).toMatchObject({ 1: { traces: [{ txHash: hash, result: 4 }] } });
    const block = await request("debug_getBlockRlp", ["0x1"]);
    expect(await request("debug_traceBlock", [`0x${String(block).replace(/^0x/, "")}`, options])).toEqual([
      { txHash: hash, result: 4 },
    ]);
  });

  it("are rejected where the reference accepts predefined ones only", async () => {
    const options = { tracer: COUNTING };
    expect(await request("debug_traceBlockByNumber", ["0x1", options])).toEqual([
      { txHash: hash, error: REFUSAL },
    ]);
    const error = { code: -32000, message: REFUSAL };
    expect(await overHttp("debug_traceTransaction", [hash, options])).toMatchObject({ error });
    expect(await overHttp("debug_traceTransaction", [hash, { tracer: "opcountTracer" }])).toMatchObject({
      result: 4,
    });
  });

  it("fail with their own errors and on timeout", async () => {
    const trace = (body: string, timeout: string) => {
      const tracer = `{ step: function() {}, fault: function() {}, result: function(ctx, db) { ${body} } }`;
      return request("debug_traceTransaction", [hash, { tracer, timeout }]);
    };
    await expect(trace("return missing", "5s")).rejects.toThrow(
      "ReferenceError: identifier 'missing' undefined    in server-side tracer function 'result'",
    );
    await expect(trace("for (;;) {}", "50ms")).rejects.toThrow("execution timeout");
    expect(await trace("return typeof process", "5s")).toBe("undefined");
  });
});
