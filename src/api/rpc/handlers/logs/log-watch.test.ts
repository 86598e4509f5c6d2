import { describe, expect, it, vi } from "vitest";
import type { Chain, HeadEvent } from "../../../../ledger/chain/chain.ts";
import type { LogQuery } from "../../spec/logs/filters.ts";
import { LogWatch } from "./log-watch.ts";

const QUERY: LogQuery = { addresses: [], topics: [] };
const EVENT: HeadEvent = { added: [], removed: [] };

/** A watch on a chain without logs; its time slice is always used up, and the test resolves each yield. */
function setUp(isDue = true) {
  const listeners = new Set<(event: HeadEvent) => void>();
  const turns: (() => void)[] = [];
  const chain = {
    onHead(listener: (event: HeadEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Chain;
  const yieldTurn = () => new Promise<void>((resolve) => void turns.push(resolve));
  const watch = new LogWatch(chain, { isDue: () => isDue, yield: yieldTurn });
  const delivered: string[] = [];
  const add = (name: string) =>
    watch.add(
      QUERY,
      () => void delivered.push(name),
      () => void delivered.push(`${name} lost`),
    );
  return {
    ...{ watch, delivered, add, listeners },
    announce: () => listeners.forEach((listener) => void listener(EVENT)),
    async resume() {
      turns.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("a watch of logs", () => {
  it("delivers to all watchers synchronously within a time slice", () => {
    const { watch, delivered, add, announce } = setUp(false);
    for (const name of ["a", "b"]) add(name);
    announce();
    expect(delivered).toEqual(["a", "b"]);
    expect(watch.settled).toBeUndefined();
  });

  it("yields between watchers, and keeps the events in order", async () => {
    const { watch, delivered, add, announce, resume } = setUp();
    for (const name of ["a", "b"]) add(name);
    announce();
    announce();
    expect(delivered).toEqual(["a"]);
    const settled = watch.settled;
    for (let i = 0; i < 8; i++) await resume();
    await settled;
    expect(delivered).toEqual(["a", "b", "a", "b"]);
    expect(watch.settled).toBeUndefined();
  });

  it("skips watchers that left or came later, and unsubscribes with the last one", async () => {
    const { delivered, add, announce, resume, listeners } = setUp();
    const leaveFirst = add("a");
    const leave = add("b");
    announce();
    leave();
    add("late");
    for (let i = 0; i < 4; i++) await resume();
    expect(delivered).toEqual(["a"]);
    announce();
    for (let i = 0; i < 4; i++) await resume();
    expect(delivered).toEqual(["a", "a", "late"]);
    leaveFirst();
    expect(listeners.size).toBe(1);
  });

  it("does not fall behind indefinitely", async () => {
    const { delivered, add, announce, resume } = setUp();
    for (const name of ["a", "b"]) add(name);
    for (let i = 0; i < 64; i++) announce();
    expect(delivered).toHaveLength(1);
    announce();
    expect(delivered).toHaveLength(130);
    for (let i = 0; i < 4; i++) await resume();
    announce();
    for (let i = 0; i < 4; i++) await resume();
    expect(delivered).toHaveLength(132);
  });

  it("ends for all watchers, with a notification, if blocks arrive faster than they can be scanned", async () => {
    const { delivered, add, announce, resume, watch, listeners } = setUp();
    const ends = ["a", "b"].map(add);
    for (let i = 0; i < 64; i++) announce();
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
    try {
      announce();
    } finally {
      vi.restoreAllMocks();
    }
    expect(delivered.slice(-2)).toEqual(["a lost", "b lost"]);
    const count = delivered.length;
    announce();
    for (let i = 0; i < 4; i++) await resume();
    expect(delivered).toHaveLength(count);
    expect(watch.settled).toBeUndefined();
    for (const end of ends) end();
    expect(listeners.size).toBe(0);
  });
});
