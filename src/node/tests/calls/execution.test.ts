import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../index.ts";

const TO = "0x10000000000000000000000000000000000000aa";
/** Opcodes that read, write, call and end; and the numbers that they need. */
const OPCODES = [
  0x01, 0x31, 0x3b, 0x40, 0x47, 0x50, 0x51, 0x52, 0x54, 0x55, 0x5a, 0x60, 0x80, 0xf1, 0xf3, 0xfd,
];

describe("execution in a thread and on the main thread", () => {
  let nodes: readonly Node[];
  beforeAll(async () => {
    const dev = { timestamp: 1_700_000_000n };
    const options = { dev, sealing: { kind: "manual" } } as const;
    nodes = [
      await createNode({ ...options, callSliceMs: 0 }),
      await createNode({ ...options, callSliceMs: 1000 }),
    ];
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  async function expectSame(method: string, params: readonly unknown[]): Promise<void> {
    const answers = nodes.map((node) =>
      node.provider.request({ method, params }).catch(({ code, message, data }) => ({ code, message, data })),
    );
    const [threaded, own] = await Promise.all(answers);
    expect(threaded, `${method} ${JSON.stringify(params)}`).toEqual(own);
  }

  it("has the same outputs, gas, errors and traces", async () => {
    const program = fc.array(fc.constantFrom(...OPCODES), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(program, async (bytes) => {
        const code = `0x5f5f5f5f5f5f${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
        const call = { to: TO, gas: "0x30d40" };
        const overrides = { [TO]: { code, balance: "0x5" } };
        await expectSame("eth_call", [call, "latest", overrides]);
        await expectSame("eth_call", [call, "pending", overrides]);
        await expectSame("eth_estimateGas", [{ to: TO }, "latest", overrides]);
        const creation = { data: code, gas: "0x30d40" };
        await expectSame("eth_createAccessList", [creation, "latest"]);
        await expectSame("debug_traceCall", [creation, "latest", {}]);
        await expectSame("debug_traceCall", [creation, "latest", { tracer: "prestateTracer" }]);
      }),
      { numRuns: 30 },
    );
  });
});
