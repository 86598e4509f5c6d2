import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { Pause } from "./pause.ts";

it("a pause ends after its time, or early, but only once", async () => {
  const { timers, advance } = runtime();
  const pause = new Pause(timers);
  pause.end();
  const ended: string[] = [];
  void pause.take(100).then(() => ended.push("in time"));
  await advance(99);
  expect(ended).toEqual([]);
  await advance(1);
  expect(ended).toEqual(["in time"]);
  void pause.take(100).then(() => ended.push("early"));
  pause.end();
  await advance(0);
  expect(ended).toEqual(["in time", "early"]);
  await advance(1_000);
  expect(ended).toEqual(["in time", "early"]);
});

function runtime() {
  const simulated = createSimulatedRuntime({ startMs: 0 });
  return { timers: simulated.timers, advance: (ms: number) => simulated.advance(ms) };
}
