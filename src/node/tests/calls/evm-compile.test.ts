import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { compileCode } from "../../../ledger/evm/engine/compiler/compile-code.ts";
import { createNode } from "../../create-node.ts";

vi.mock("../../../ledger/evm/engine/compiler/compile-code.ts", async (original) => {
  const real = await original<{ compileCode: typeof compileCode }>();
  return { ...real, compileCode: vi.fn(real.compileCode) };
});
const compiled = vi.mocked(compileCode);
afterEach(() => void compiled.mockClear());

const CODED = `0x${"c0".repeat(20)}`;
const ADD = "0x600160020100";

/** A node on which a contract has run in a call and in a block. */
async function run(options: Parameters<typeof createNode>[0]): Promise<void> {
  await using node = await createNode(options);
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  await call("anvil_setCode", CODED, ADD);
  const [from] = (await call("eth_accounts")) as [string];
  await call("eth_call", { from, to: CODED }, "latest");
  const hash = await call("eth_sendTransaction", { from, to: CODED, gas: "0x186a0" });
  await vi.waitUntil(() => call("eth_getTransactionReceipt", hash), { timeout: 20_000 });
}

it.each([
  ["always", true],
  ["off", false],
] as const)("a node told to compile `%s` does it on the main thread: %s", async (evmCompile, does) => {
  await run({ evmCompile, callSliceMs: 1000, blockSliceMs: 1000 });
  expect(compiled.mock.calls.length > 0).toBe(does);
});

it.each(["always", "off"] as const)(
  "applies to the threads of calls and of blocks: `%s`",
  async (evmCompile) => {
    const threads = process.getBuiltinModule("node:worker_threads");
    const { Worker } = threads;
    const setups: { niceness?: number; compile?: string }[] = [];
    onTestFinished(() => void Object.assign(threads, { Worker }));
    Object.assign(threads, {
      Worker: class extends Worker {
        constructor(...[script, terms]: ConstructorParameters<typeof Worker>) {
          super(script, terms);
          setups.push(terms?.workerData ?? {});
        }
      },
    });
    await run({ evmCompile, callSliceMs: 0, blockSliceMs: 0 });
    const executing = setups.filter((setup) => "niceness" in setup);
    expect(executing.map(({ niceness, compile }) => [niceness, compile])).toEqual(
      expect.arrayContaining([
        [10, evmCompile],
        [5, evmCompile],
      ]),
    );
  },
);
