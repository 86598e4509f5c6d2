import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { ThrottledValue } from "./throttled-value.ts";

it("is computed once for a thousand calls within an interval, after them", async () => {
  const runtime = createSimulatedRuntime();
  let computed = 0;
  const value = new ThrottledValue(() => ++computed, runtime);
  expect(value.get()).toBe(1);
  const results = Array.from({ length: 1000 }, () => value.get());
  expect(computed).toBe(1);
  await runtime.advance(199);
  expect(computed).toBe(1);
  results.push(value.get());
  await runtime.advance(1);
  expect(new Set(await Promise.all(results))).toEqual(new Set([2]));
  await runtime.advance(200);
  expect(value.get()).toBe(3);
  expect(runtime.scheduled).toBe(0);
});

it("fails only for the calls that share the failed computation", async () => {
  const runtime = createSimulatedRuntime();
  let computed = 0;
  const value = new ThrottledValue(() => {
    if (++computed === 2) throw new Error("no answer");
    return computed;
  }, runtime);
  expect(value.get()).toBe(1);
  const failing = [value.get(), value.get()].map((result) => expect(result).rejects.toThrow("no answer"));
  await runtime.advance(200);
  await Promise.all(failing);
  const next = value.get();
  await runtime.advance(200);
  expect(await next).toBe(3);
});
