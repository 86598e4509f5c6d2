import { expect, it } from "vitest";
import { AtOnce } from "./at-once.ts";

it("runs so much at a time, in order, and goes on after a failure", async () => {
  const limit = new AtOnce(2);
  const begun: number[] = [];
  const ends: ((fails?: Error) => void)[] = [];
  const runs = [0, 1, 2, 3].map((n) =>
    limit.run(async () => {
      begun.push(n);
      const error = await new Promise<Error | undefined>((resolve) => void ends.push(resolve));
      if (error !== undefined) throw error;
      return n;
    }),
  );
  await Promise.resolve();
  expect([begun, limit.isFull]).toEqual([[0, 1], true]);
  ends[0]?.(new Error("failed"));
  await expect(runs[0]).rejects.toThrow("failed");
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  ends[1]?.();
  ends[2]?.();
  expect(await Promise.all(runs.slice(1, 3))).toEqual([1, 2]);
  ends[3]?.();
  expect([await runs[3], limit.isFull]).toEqual([3, false]);
});
