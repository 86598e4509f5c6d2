import { describe, expect, it } from "vitest";
import { Allowance } from "../../../../platform/http/budget.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { CollectedLogs, FilterSet } from "./filters.ts";
import { HashFeed } from "./hash-feed.ts";

type Logs = readonly WireObject[];

/** Filters of a node with a budget of this many bytes; the test publishes their events. */
function filters(bytes: number) {
  let now = 0;
  const budget = {
    filters: new Allowance(3),
    filterBytes: new Allowance(1_000),
    collected: new Allowance(bytes),
  };
  const set = new FilterSet({ budget, now: () => now });
  return {
    ...{ set, budget },
    wait: (ms: number) => (now += ms),
    open() {
      let [tell, isOpen] = [(_: Logs): void => {}, true];
      const listen = (collect: (logs: Logs) => void) => {
        tell = collect;
        return () => {
          isOpen = false;
        };
      };
      const id = set.open((filter) => new CollectedLogs(filter, budget.collected, listen));
      return { id, tell: (logs: Logs) => tell(logs), isOpen: () => isOpen };
    },
  };
}

const log = (characters: number): WireObject => ({ data: "f".repeat(characters) });

describe("the events collected by polled filters", () => {
  it("count in bytes, which are released when polled or dropped", () => {
    const { set, budget, open } = filters(10_000);
    const [one, other] = [open(), open()];
    one.tell([log(5_000)]);
    other.tell([log(5_000)]);
    expect([one.isOpen(), other.isOpen()]).toEqual([true, false]);
    expect(() => set.changes(other.id)).toThrow("filter not found");
    expect(set.changes(one.id)).toHaveLength(1);
    one.tell([log(8_000)]);
    expect(one.isOpen()).toBe(true);
    set.close(one.id);
    expect(budget.collected.take(10_000)).toBe(true);
  });

  it("are limited to 100,000 items, and to five minutes without a poll", () => {
    const { open, wait } = filters(1e9);
    const [many, old] = [open(), open()];
    many.tell(Array(100_000).fill(log(0)));
    expect(many.isOpen()).toBe(true);
    many.tell([log(0)]);
    expect(many.isOpen()).toBe(false);
    wait(300_001);
    old.tell([log(0)]);
    expect(old.isOpen()).toBe(false);
  });

  it("belong to a limited number of filters", () => {
    const { set, open } = filters(1_000);
    const ids = [open(), open(), open()].map(({ id }) => id);
    expect(() => open()).toThrow("too many filters");
    set.close(ids[0] as string);
    expect(open().isOpen()).toBe(true);
  });
});

/** A feed of hashes published by the test, with a budget of this many bytes. */
function feed(bytes: number) {
  const allowance = new Allowance(bytes);
  let tell: ((hashes: readonly string[]) => void) | undefined;
  const hashes = new HashFeed((take) => {
    tell = take;
    return () => {
      tell = undefined;
    };
  }, allowance);
  return {
    hashes,
    allowance,
    tell: (count: number) => tell?.(Array(count).fill("0x00")),
    isOn: () => !!tell,
  };
}

describe("hashes polled by thousands of filters", () => {
  it("are kept once, and each filter gets those since its last poll", () => {
    const { hashes, allowance, tell } = feed(1_000);
    const readers = Array.from({ length: 10_000 }, () => hashes.open());
    tell(3);
    const late = hashes.open();
    tell(1);
    expect(allowance.used).toBe(4 * 128);
    expect(new Set(readers.map((reader) => reader.take()?.length))).toEqual(new Set([4]));
    expect(late.take()).toHaveLength(1);
    expect(late.take()).toEqual([]);
  });

  it("are released once all filters have read them; the listener is removed with the last filter", () => {
    const { hashes, allowance, tell, isOn } = feed(1e9);
    const [one, other] = [hashes.open(), hashes.open()];
    for (let i = 0; i < 5_000; i++) {
      tell(1);
      one.take();
      other.take();
    }
    expect(allowance.used).toBeLessThan(2_000 * 128);
    one.end();
    expect(isOn()).toBe(true);
    other.end();
    expect([isOn(), allowance.used]).toEqual([false, 0]);
  });

  it("are limited to 100,000 per filter, and to the budget of all filters", () => {
    const { hashes, allowance, tell } = feed(30_000_000);
    const [slow, quick] = [hashes.open(), hashes.open()];
    for (let i = 0; i < 100; i++) {
      tell(1_000);
      quick.take();
    }
    tell(1);
    expect(slow.take()).toBeUndefined();
    expect(quick.take()).toHaveLength(1);
    for (let i = 0; i < 1_000; i++) tell(1_000);
    expect(allowance.used).toBeLessThanOrEqual(30_000_000);
    expect(quick.take()).toBeUndefined();
    tell(2);
    expect([slow, quick].map((reader) => reader.take()?.length)).toEqual([undefined, 2]);
    tell(300_000);
    expect([slow.take(), quick.take(), allowance.used]).toEqual([undefined, undefined, 0]);
  });
});
