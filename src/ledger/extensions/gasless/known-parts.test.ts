import { describe, expect, it } from "vitest";
import { KnownParts } from "./known-parts.ts";

function setUp(maxQueued = 2) {
  const clock = { ms: 0 };
  return { clock, known: new KnownParts(maxQueued, () => clock.ms) };
}

describe("parts of bundles", () => {
  it("are rejected again within 30 seconds, whatever became of them", () => {
    const { clock, known } = setUp();
    known.screen("a");
    clock.ms = 29_999;
    expect(() => known.screen("a")).toThrowError("cannot add known bundle tx during cooldown");
    clock.ms = 30_000;
    known.screen("a");
  });

  it("are queued up to a limit, until a new head shows that they are gone or pending", () => {
    const { known } = setUp();
    known.screen("a");
    known.screen("b");
    expect(() => known.screen("c")).toThrowError("bundle tx queue is full");
    known.reconcile((key) => (key === "a" ? "pending" : undefined));
    known.screen("c");
    known.screen("d");
    expect(known.pending).toBe(1);
  });

  it("leave the pool after ten seconds in the queue, or ten seconds pending", () => {
    const { clock, known } = setUp();
    known.screen("queued");
    known.screen("promoted");
    clock.ms = 5_000;
    known.promote("promoted");
    clock.ms = 10_000;
    expect(known.expire()).toEqual(["queued"]);
    known.reconcile((key) => (key === "promoted" ? "pending" : undefined));
    clock.ms = 15_000;
    expect(known.expire()).toEqual(["promoted"]);
  });
});
