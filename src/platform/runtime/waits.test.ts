import { describe, expect, it } from "vitest";
import { overWaits, type Waits, withoutWaits } from "./waits.ts";

function* adding(...parts: readonly (number | Error)[]): Waits<number> {
  let sum = 0;
  for (const part of parts)
    try {
      yield async () => {
        if (part instanceof Error) throw part;
        sum += part;
      };
    } catch (error) {
      if ((error as Error).message === "fatal") throw error;
      sum += 100;
    }
  return sum;
}

describe("work that may have to wait", () => {
  it("is synchronous if it does not", () => {
    expect(overWaits(adding())).toBe(0);
    expect(withoutWaits(adding())).toBe(0);
    expect(() => withoutWaits(adding(1))).toThrow("synchronous work tried to wait");
  });

  it("goes on after each wait, and gets the error of one that failed", async () => {
    await expect(overWaits(adding(1, 2, 3))).resolves.toBe(6);
    await expect(overWaits(adding(new Error("lost"), 2, new Error("lost")))).resolves.toBe(202);
    await expect(overWaits(adding(1, new Error("fatal"), 2))).rejects.toThrow("fatal");
  });
});
