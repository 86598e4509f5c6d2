import { expect, it, onTestFinished } from "vitest";
import { systemRuntime } from "./system.ts";

const { timers, clock, randomness } = systemRuntime;
const after = (delayMs: number) => new Promise<void>((resolve) => timers.schedule(delayMs, resolve));

it("calls fall due in order, and no cancelled one", async () => {
  const calls: string[] = [];
  timers.schedule(2, () => calls.push("later"));
  timers.schedule(0, () => calls.push("at once"));
  timers.schedule(-1, () => calls.push("overdue"));
  timers.schedule(0, () => calls.push("never"))();
  timers.schedule(1, () => calls.push("never"))();
  expect(calls).toEqual([]);
  const before = clock.elapsed();
  await after(40);
  expect(calls).toEqual(["at once", "overdue", "later"]);
  expect(clock.elapsed() - before).toBeGreaterThan(30);
});

it("a call in more than 25 days does not come at once", async () => {
  let calls = 0;
  onTestFinished(timers.schedule(2 ** 31, () => calls++));
  onTestFinished(timers.schedule(2 ** 40, () => calls++));
  await after(20);
  expect(calls).toBe(0);
});

it("random bytes are new each time", () => {
  expect(randomness.bytes(32)).toHaveLength(32);
  expect(randomness.bytes(32)).not.toEqual(randomness.bytes(32));
});
