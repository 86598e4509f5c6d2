import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { Text } from "../spec/values/json-text.ts";
import { Deliveries } from "./deliveries.ts";

/** A receiver of events, which remembers their lengths. */
function receiver() {
  const received: number[] = [];
  let cuts = 0;
  return {
    received,
    cuts: () => cuts,
    subscriber: {
      deliver: ({ length }: { readonly length: number }) => void received.push(length),
      cutOff: () => void cuts++,
    },
  };
}

/** A slice that is over when told so, after a number of checks; the work that yields goes on with `resume`. */
function createSlice() {
  const waiting: (() => void)[] = [];
  const slice = {
    /** How many more checks it lasts. */
    left: Number.POSITIVE_INFINITY,
    waiting,
    isDue: () => slice.left-- <= 0,
    yield: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async resume(left = Number.POSITIVE_INFINITY) {
      slice.left = left;
      for (const resolve of waiting.splice(0)) resolve();
      await new Promise(setImmediate);
    },
  };
  return slice;
}

function createDeliveries(left = Number.POSITIVE_INFINITY) {
  const slice = createSlice();
  slice.left = left;
  const defects: unknown[] = [];
  const deliveries = new Deliveries(slice as unknown as TimeSlice, (error) => defects.push(error));
  return { slice, defects, deliveries };
}

/** An event of a length, without the text. */
const eventOf = (length: number) => ({ length }) as unknown as Text;
const MIB = 1024 * 1024;

describe("events", () => {
  it("arrive in order", async () => {
    const deliveries = new Deliveries(new TimeSlice(), () => {});
    const { subscriber, received } = receiver();
    for (const text of ["a", "bb", "ccc"]) deliveries.add(text, [subscriber]);
    await expect.poll(() => received).toEqual([1, 2, 3]);
  });

  it("arrive once at each subscriber, in order, however often the thread is given up meanwhile", async () => {
    const { slice, deliveries } = createDeliveries(1);
    const all = [receiver(), receiver(), receiver()];
    const to = all.map(({ subscriber }) => subscriber);
    deliveries.add("a", to);
    deliveries.add("bb", to);
    expect(all.map(({ received }) => received)).toEqual([[1], [], []]);
    expect(slice.waiting).toHaveLength(1);
    await slice.resume(1);
    expect(all.map(({ received }) => received)).toEqual([[1], [1], []]);
    await slice.resume();
    expect(all.map(({ received }) => received)).toEqual(all.map(() => [1, 2]));
    deliveries.add("ccc", to);
    expect(all.map(({ received }) => received)).toEqual(all.map(() => [1, 2, 3]));
    expect(all.map(({ cuts }) => cuts())).toEqual([0, 0, 0]);
  });

  it("reach the others where one subscriber throws, which is reported and cut off", () => {
    const { defects, deliveries } = createDeliveries();
    const [broken, sound] = [receiver(), receiver()];
    const failure = new Error("broken");
    const deliver = () => {
      throw failure;
    };
    deliveries.add("a", [{ ...broken.subscriber, deliver }, sound.subscriber]);
    expect([defects, broken.cuts(), sound.cuts(), sound.received]).toEqual([[failure], 1, 0, [1]]);
  });
});

describe("subscribers that would miss an event are cut off", () => {
  it("once it is 30 s late, but not those who have it", async () => {
    let nowMs = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const { slice, deliveries } = createDeliveries(1);
    const [served, late, next] = [receiver(), receiver(), receiver()];
    deliveries.add("a", [served.subscriber, late.subscriber]);
    nowMs += 30_000;
    await slice.resume(0);
    expect(late.cuts()).toBe(0);
    nowMs += 1;
    deliveries.add("bb", [served.subscriber, next.subscriber]);
    await slice.resume();
    expect([served.cuts(), late.cuts(), next.cuts()]).toEqual([0, 1, 0]);
    expect([served.received, late.received, next.received]).toEqual([[1, 2], [], [2]]);
  });

  it("when more than 128 MiB of events wait, the oldest first, but not because of a single one", async () => {
    const { slice, deliveries } = createDeliveries(0);
    const [first, second] = [receiver(), receiver()];
    deliveries.add(eventOf(200 * MIB), [first.subscriber]);
    expect(first.cuts()).toBe(0);
    deliveries.add(eventOf(128 * MIB), [second.subscriber]);
    expect([first.cuts(), second.cuts()]).toEqual([1, 0]);
    deliveries.add(eventOf(0), [second.subscriber]);
    expect(second.cuts()).toBe(0);
    await slice.resume();
    expect([first.received, second.received]).toEqual([[], [128 * MIB, 0]]);
    // what was delivered does not count
    slice.left = 0;
    deliveries.add(eventOf(128 * MIB), [second.subscriber]);
    deliveries.add(eventOf(0), [second.subscriber]);
    expect(second.cuts()).toBe(0);
    deliveries.add(eventOf(1), [first.subscriber]);
    expect(second.cuts()).toBe(1);
  });

  it("when more than 20,000 events wait", () => {
    const { deliveries } = createDeliveries(0);
    const { subscriber, cuts } = receiver();
    for (let n = 0; n < 20_000; n++) deliveries.add("", [subscriber]);
    expect(cuts()).toBe(0);
    deliveries.add("", []);
    expect(cuts()).toBe(1);
  });
});
