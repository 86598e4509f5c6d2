import { describe, expect, it } from "vitest";
import { readAhead } from "./read-ahead.ts";

async function* numbers(count: number, made: number[], failure?: Error): AsyncGenerator<number> {
  for (let i = 0; i < count; i++) {
    made.push(i);
    yield i;
  }
  if (failure !== undefined) throw failure;
}

describe("readAhead", () => {
  it("keeps the order, and reads ahead at most the given number", async () => {
    const made: number[] = [];
    const seen: [number, number][] = [];
    for await (const item of readAhead(numbers(5, made), 2)) seen.push([item, made.length]);
    expect(seen).toEqual([
      [0, 3],
      [1, 4],
      [2, 5],
      [3, 5],
      [4, 5],
    ]);
  });

  it("yields the items before a failure, then fails", async () => {
    const seen: number[] = [];
    const failure = new Error("truncated file");
    const reading = (async () => {
      for await (const item of readAhead(numbers(3, [], failure), 10)) seen.push(item);
    })();
    await expect(reading).rejects.toBe(failure);
    expect(seen).toEqual([0, 1, 2]);
  });

  it("closes its source when the consumer stops", async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        ended = true;
      }
    }
    for await (const item of readAhead(endless(), 1)) if (item === 3) break;
    expect(ended).toBe(true);
  });
});
