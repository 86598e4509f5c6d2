import { describe, expect, it } from "vitest";
import { Allowance } from "../../../../platform/http/budget.ts";
import { type FilterDeps, FilterSet } from "./filters.ts";

type Items = Parameters<Parameters<Parameters<FilterSet["open"]>[0]>[0]>[0];

/** Filters of a node with this many bytes of budget; the test feeds them by hand. */
function filters(bytes: number) {
  let now = 0;
  const budget = {
    filters: new Allowance(3),
    filterBytes: new Allowance(1_000),
    collected: new Allowance(bytes),
  };
  const set = new FilterSet({ budget, now: () => now } as unknown as FilterDeps);
  return {
    ...{ set, budget },
    wait: (ms: number) => (now += ms),
    open() {
      let [tell, isOpen] = [(_: Items): void => {}, true];
      const id = set.open((collect) => {
        tell = collect;
        return () => (isOpen = false);
      });
      return { id, tell: (items: Items) => tell(items), isOpen: () => isOpen };
    },
  };
}

const log = (characters: number) => ({ data: "f".repeat(characters) }) as unknown as Items[number];

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
    many.tell(Array(100_000).fill("0x00"));
    expect(many.isOpen()).toBe(true);
    many.tell(["0x00"]);
    expect(many.isOpen()).toBe(false);
    wait(300_001);
    old.tell(["0x00"]);
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
