import { describe, expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/** A queue with items `a1 a2 a3 b1 c1`. */
function filled(): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1"]) queue.push(item[0], item);
  return queue;
}

const all = (queue: FairQueue<string>) => {
  const items: (string | undefined)[] = [];
  while (queue.size > 0) items.push(queue.shift());
  return items;
};

describe("a fair queue", () => {
  it("gives each owner a turn, however much one has queued", () => {
    const queue = filled();
    expect([queue.size, queue.countOf("a"), queue.countOf("x")]).toEqual([5, 3, 0]);
    expect(all(queue)).toEqual(["a1", "b1", "c1", "a2", "a3"]);
    expect([queue.size, queue.shift(), queue.countOf("a")]).toEqual([0, undefined, 0]);
  });

  it("skips owners who may not go, who keep their place", () => {
    const queue = filled();
    expect(queue.shift((owner) => owner !== "a")).toBe("b1");
    expect(queue.shift(() => false)).toBeUndefined();
    expect(all(queue)).toEqual(["a1", "c1", "a2", "a3"]);
  });

  it("loses what is removed, once", () => {
    const queue = filled();
    for (const item of ["a2", "b1", "b1", "b9", "x1"]) queue.remove(item[0], item);
    expect(queue.size).toBe(3);
    expect(all(queue)).toEqual(["a1", "c1", "a3"]);
  });

  it("displaces the last of whoever has the most, if these are more than allowed", () => {
    const queue = filled();
    expect(queue.displace(3, () => true)).toBeUndefined();
    expect(queue.displace(2, () => false)).toBeUndefined();
    expect([queue.displace(2, () => true), queue.size, queue.countOf("a")]).toEqual(["a3", 4, 2]);
    expect([queue.displace(0, () => true), queue.displace(0, () => true)]).toEqual(["a2", "a1"]);
    expect(all(queue)).toEqual(["b1", "c1"]);
  });

  it("can be emptied at once", () => {
    const queue = filled();
    expect(queue.drain()).toEqual(["a1", "a2", "a3", "b1", "c1"]);
    expect([queue.size, queue.shift()]).toEqual([0, undefined]);
  });
});
