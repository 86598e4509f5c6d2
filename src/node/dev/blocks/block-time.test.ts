import { expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { createNode } from "../../create-node.ts";

/** A machine so busy that 300 ms go by between two looks at the clock. */
const busyRuntime = () => {
  let yieldedMs = 0;
  const elapsed = () => {
    yieldedMs += 300;
    return systemRuntime.clock.elapsed() + yieldedMs;
  };
  return { ...systemRuntime, clock: { ...systemRuntime.clock, elapsed } };
};

it("includes every pending transaction in a block mined on request, even on a busy machine", async () => {
  await using node = await createNode({ sealing: { kind: "manual" }, runtime: busyRuntime() });
  const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  const [from, to] = (await call("eth_accounts")) as string[];
  for (let i = 0; i < 3; i++) await call("eth_sendTransaction", { from, to, value: "0x1" });
  await call("evm_mine");
  expect(await call("eth_getBlockTransactionCountByNumber", "latest")).toBe("0x3");
});
