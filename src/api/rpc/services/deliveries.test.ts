import { expect, it } from "vitest";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { Deliveries } from "./deliveries.ts";

/** Receives nothing before its turn. */
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

it("holds at most 128 MiB of events, and cuts off subscribers that miss the oldest", () => {
  const slice = new TimeSlice();
  Object.defineProperty(slice, "isDue", { value: () => true });
  slice.yield = () => new Promise(() => {});
  const deliveries = new Deliveries(slice, () => {});
  const { subscriber, cuts, received } = receiver();
  const megabyte = "x".repeat(1024 * 1024);
  for (let n = 0; n < 128; n++) deliveries.add(megabyte, [subscriber]);
  expect(cuts()).toBe(0);
  deliveries.add("y", [subscriber]);
  expect(cuts()).toBe(1);
  expect(received).toEqual([]);
});

it("delivers events in order", async () => {
  const deliveries = new Deliveries(new TimeSlice(), () => {});
  const { subscriber, received } = receiver();
  for (const text of ["a", "bb", "ccc"]) deliveries.add(text, [subscriber]);
  await expect.poll(() => received).toEqual([1, 2, 3]);
});
