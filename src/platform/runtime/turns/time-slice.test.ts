import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { type Lane, shortenSlices, TimeSlice } from "./time-slice.ts";

/** Length of a slice that begins now. */
function msOf(slice: TimeSlice): number {
  slice.isDue(0);
  let ms = 0;
  while (!slice.isDue(ms)) ms += 0.1;
  return ms;
}

describe("TimeSlice", () => {
  it("gives one turn at a time, round-robin to clients, new reads, and long ones", async () => {
    const slice = new TimeSlice();
    const order: string[] = [];
    const wait = (name: string, lane: Lane) =>
      slice.yield(lane).then(() => {
        order.push(name);
      });
    const all = ["r1", "r2", "r3"].map((name) => wait(name, "reads"));
    await Promise.all([...all, wait("c1", "clients"), wait("c2", "clients"), wait("b1", "newReads")]);
    expect(order).toEqual(["c1", "b1", "r1", "c2", "r2", "r3"]);
  });

  it("shares a turn of the event loop with the other slices begun in it", async () => {
    await setImmediate();
    await setImmediate();
    const [first, second, third] = [new TimeSlice(), new TimeSlice(), new TimeSlice()];
    const [whole, half] = [msOf(first), msOf(second)];
    expect(half / whole).toBeCloseTo(0.5, 1);
    expect(msOf(third)).toBeLessThan(half);
    await setImmediate();
    expect(msOf(third)).toBeCloseTo(whole, 5);
  });

  it("is short in a turn in which a connection is accepted, if others are at work", async () => {
    await setImmediate();
    await setImmediate();
    shortenSlices();
    const [first, second] = [new TimeSlice(), new TimeSlice()];
    const whole = msOf(first);
    const resumed = first.yield();
    shortenSlices();
    shortenSlices();
    const quarters = [whole, msOf(second)].map((ms) => Math.round(4 * ms));
    expect(quarters).toEqual([8, 2]);
    const now = vi.spyOn(performance, "now").mockReturnValue(0);
    await resumed;
    now.mockRestore();
    expect([first.isDue(0.4), first.isDue(0.6)]).toEqual([false, true]);
    await setImmediate();
    await setImmediate();
    expect(msOf(first)).toBeCloseTo(whole, 5);
  });

  it("serves owners round-robin, however much one of them queues", async () => {
    const slice = new TimeSlice();
    const order: string[] = [];
    const wait = (name: string, owner: string) =>
      slice.yield("reads", owner).then(() => {
        order.push(name);
      });
    const greedy = ["a1", "a2", "a3"].map((name) => wait(name, "greedy"));
    await Promise.all([...greedy, wait("b1", "modest")]);
    expect(order).toEqual(["a1", "b1", "a2", "a3"]);
  });

  it("begins with the sixteenth small piece of work, and is used up for the next ones two milliseconds later", async () => {
    await setImmediate();
    await setImmediate();
    let now = 1;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const slice = new TimeSlice();
    for (let i = 0; i < 15; i++) {
      expect(slice.isDueForSmall()).toBe(false);
      now += 100;
    }
    expect(slice.isDueForSmall()).toBe(false);
    now += 2;
    expect(slice.isDueForSmall()).toBe(false);
    now += 0.1;
    expect([slice.isDueForSmall(), slice.isDue()]).toEqual([true, true]);
    vi.restoreAllMocks();
  });
});
