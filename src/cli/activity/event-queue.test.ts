import { expect, it } from "vitest";
import type { NodeEvent } from "../../node/index.ts";
import { GarbageCollector } from "../../platform/telemetry/garbage-collector.ts";
import { EventQueue } from "./event-queue.ts";

const block = (number: number) =>
  ({ kind: "block", number: BigInt(number), transactions: 2 }) as unknown as NodeEvent;
const called = (text: string) =>
  ({ kind: "call", method: "a", message: { data: text }, console: [] }) as unknown as NodeEvent;

it("gives events in order, has room for 2,000, and counts the rest", () => {
  const queue = new EventQueue();
  const events = Array.from({ length: 2001 }, (_, i) => block(i));
  for (const event of events) queue.push(event);
  expect([queue.takeLeftOut(), queue.takeLeftOut()]).toEqual([1, 0]);
  expect(queue.take()).toBe(events[0]);
  for (const number of [2001, 2002]) queue.push(block(number));
  expect(queue.takeLeftOut()).toBe(1);
  const rest = Array.from({ length: 2000 }, () => queue.take());
  expect(rest).toEqual([...events.slice(1, 2000), block(2001)]);
  expect([queue.isEmpty, queue.take(), queue.isEmpty]).toEqual([true, undefined, true]);
});

it("has room for 8 MiB, whatever was taken before", () => {
  const queue = new EventQueue();
  const MIB = 2 ** 20;
  for (const _ of [1, 2]) {
    for (let i = 0; i < 8; i++) queue.push(called("x".repeat(MIB - 500)));
    expect(queue.takeLeftOut()).toBe(0);
    queue.push(block(1));
    expect(queue.takeLeftOut()).toBe(1);
    for (let i = 0; i < 8; i++) queue.take();
  }
});

it("holds no event that was taken, even if it is never empty", async () => {
  const queue = new EventQueue();
  const taken: WeakRef<NodeEvent>[] = [];
  queue.push(block(0));
  for (let i = 1; i <= 100; i++) {
    queue.push(block(i));
    taken.push(new WeakRef(queue.take() as NodeEvent));
  }
  // a reference is kept until the end of the turn that read it
  await new Promise(setImmediate);
  await new GarbageCollector().collect();
  expect(taken.filter((each) => each.deref() !== undefined)).toEqual([]);
  expect(queue.isEmpty).toBe(false);
});
