import { expect, it } from "vitest";
import { TestStream } from "../testing/stream-pair.ts";
import { PendingConnections } from "./pending-connections.ts";

const from = (host: string): TestStream => Object.assign(new TestStream(), { remote: { host, port: 1 } });

/** Places of which one network may have 2, with a clock. */
function places() {
  const clock = { now: 5_000 };
  const pending = new PendingConnections(8, () => clock.now);
  return { clock, pending, enter: (host: string) => pending.enter(from(host)) };
}

it("gives a network a quarter of the places", () => {
  const { enter } = places();
  expect([1, 2, 3].map(() => enter("10.0.0.1"))).toEqual([true, true, false]);
  expect(["::ffff:10.0.0.1", "10.0.0.2"].map(enter)).toEqual([false, true]);
});

it("gives a place of the network that has the most to a newcomer from one that would have fewer", async () => {
  const { pending, enter } = places();
  const streams = [1, 2, 3, 4].flatMap((last) => [from(`10.0.0.${last}`), from(`10.0.0.${last}`)]);
  for (const stream of streams) expect(pending.enter(stream)).toBe(true);
  expect(enter("10.0.0.9")).toBe(true);
  await Promise.resolve();
  expect(streams.map(({ isClosed }) => isClosed)).toEqual([true, ...Array(7).fill(false)]);
  expect([...pending]).toHaveLength(8);
});

it("takes no place from a network with as many, unless it has been slow", () => {
  const { clock, enter } = places();
  for (let last = 1; last <= 8; last++) expect(enter(`10.0.0.${last}`)).toBe(true);
  expect(enter("10.0.0.9")).toBe(false);
  clock.now = 6_000;
  expect(enter("10.0.0.9")).toBe(true);
  expect(enter("10.0.0.9")).toBe(false);
});

it("gives back the place of a connection that has ended", () => {
  const { pending, enter } = places();
  const first = from("10.0.0.1");
  pending.enter(first);
  enter("10.0.0.1");
  pending.leave(first);
  expect(enter("10.0.0.1")).toBe(true);
  expect([...pending]).toHaveLength(2);
});
