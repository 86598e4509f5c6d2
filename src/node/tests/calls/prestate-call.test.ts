import { expect, it } from "vitest";
import { createNode } from "../../create-node.ts";

/** Counts in slot 0. */
const COUNTER = "0x600054600101600055";
const AT = `0x${"c0".repeat(20)}`;
const GAS = 100_000n;

/** @see reference node v2.2.1: the caller of a traced call is shown with what it is credited for the fee */
it("shows the caller of a call as it was before, with the full credit for its fee", async () => {
  await using node = await createNode();
  const ask = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
  await ask("anvil_setCode", AT, COUNTER);
  const [from] = (await ask("eth_accounts")) as [string];
  const owned = BigInt((await ask("eth_getBalance", from, "latest")) as string);
  const { baseFeePerGas } = (await ask("eth_getBlockByNumber", "latest", false)) as { baseFeePerGas: string };
  const call = { from, to: AT, gas: `0x${GAS.toString(16)}` };
  const shown = (await ask("debug_traceCall", call, "latest", { tracer: "prestateTracer" })) as {
    [address: string]: { balance: string };
  };
  expect(BigInt(shown[from]?.balance as string)).toBe(owned + GAS * BigInt(baseFeePerGas));
});
