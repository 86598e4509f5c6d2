import { describe, expect, it } from "vitest";
import { runPaced, runSync } from "./pace.ts";

function* counting(steps: number): Generator<void, number> {
  for (let i = 0; i < steps; i++) yield;
  return steps;
}

/** A pace that is due at every nth check. */
function everyNth(n: number, most = Number.POSITIVE_INFINITY) {
  let [checks, yields] = [0, 0];
  return {
    isDue: () => ++checks % n === 0,
    async yield() {
      if (++yields > most) throw new Error("gone");
    },
    get yields() {
      return yields;
    },
  };
}

describe("work in steps", () => {
  it("yields when its time slice is used up, and only then", async () => {
    const pace = everyNth(3);
    await expect(runPaced(pace, counting(10))).resolves.toBe(10);
    expect(pace.yields).toBe(3);
  });

  it("is synchronous as long as it does not have to yield", () => {
    const pace = everyNth(11);
    expect(runPaced(pace, counting(10))).toBe(10);
    expect(pace.yields).toBe(0);
    expect(runSync(counting(10))).toBe(10);
  });

  it("ends with the error of the pace", async () => {
    await expect(runPaced(everyNth(3, 1), counting(10))).rejects.toThrow("gone");
  });
});
