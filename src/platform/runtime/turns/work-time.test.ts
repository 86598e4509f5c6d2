import { expect, it } from "vitest";
import { WorkTime } from "./work-time.ts";

it("counts only elapsed time that was spent on a processor", () => {
  let [elapsed, processor] = [100, 7];
  const time = new WorkTime({ elapsed: () => elapsed, processor: () => processor });
  const pass = (ms: number, usedMs: number) => {
    elapsed += ms;
    processor += usedMs;
  };
  expect(time.begin(3)).toBe(100);
  expect(time.isSpent()).toBe(false);
  pass(50, 2); // others had the processor
  expect(time.isSpent()).toBe(false);
  pass(1, 1);
  expect(time.isSpent()).toBe(true);
  time.begin(3);
  expect(time.isSpent()).toBe(false);
  pass(2, 2); // several threads use more than goes by
  pass(0.5, 2);
  expect(time.isSpent()).toBe(false);
  pass(0.5, 0);
  expect(time.isSpent()).toBe(true);
});
