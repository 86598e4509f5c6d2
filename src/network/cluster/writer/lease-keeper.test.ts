import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { ClusterError } from "../errors.ts";
import { LeaseKeeper } from "./lease-keeper.ts";

it("seals no blocks after a suspension that outlasted the lease", async () => {
  const runtime = createSimulatedRuntime();
  let stoppedMs = 0;
  const clock = { ...runtime.clock, elapsed: () => runtime.clock.elapsed() + stoppedMs };
  const keeper = new LeaseKeeper({
    log: { renew: () => Promise.reject(new ClusterError("LOG_UNREACHABLE", "no")) },
    ...{ runtime: { ...runtime, clock }, epoch: 1n, ttlMs: 1_000, sinceMs: 0, outlivesDatabase: true },
    onLost: () => {},
  });
  await runtime.advance(5_000);
  keeper.check();
  stoppedMs = 60_000;
  expect(() => keeper.check()).toThrow("the lease of the change log has run out");
  await runtime.advance(1_000);
  keeper.check();
  keeper.close();
});
