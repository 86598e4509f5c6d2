import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../../../platform/runtime/simulated.ts";
import { pause } from "./timed-profile.ts";

it("a pause leaves no timer behind when its caller goes", async () => {
  const { timers } = createSimulatedRuntime({ startMs: 0 });
  let waiting = 0;
  const after = (delayMs: number, callback: () => void) => {
    waiting++;
    const cancel = timers.schedule(delayMs, callback);
    return () => {
      waiting--;
      cancel();
    };
  };
  const caller = new AbortController();
  const paused = pause(after, 600, caller.signal);
  expect(waiting).toBe(1);
  caller.abort();
  await paused;
  await pause(after, 600, caller.signal);
  expect(waiting).toBe(0);
});
