import { describe, expect, it } from "vitest";
import { Allowance, UnsentBytes } from "./budget.ts";

describe("an allowance", () => {
  it("is taken up to its limit, given back, and counts what it refuses", () => {
    const allowance = new Allowance(3);
    expect([allowance.take(2), allowance.take(2), allowance.take()]).toEqual([true, false, true]);
    expect([allowance.used, allowance.has(0), allowance.has(1), allowance.refused]).toEqual([
      3,
      true,
      false,
      1,
    ]);
    allowance.give();
    expect([allowance.used, allowance.has(1), allowance.has(2)]).toEqual([2, true, false]);
    allowance.give(2);
    allowance.noteRefused();
    expect([allowance.used, allowance.refused]).toEqual([0, 2]);
  });
});

describe("the bytes held for all clients", () => {
  /** Holders by name, of the same client where one is given. */
  function createHolders(most: number) {
    const unsent = new UnsentBytes(most);
    const cut: string[] = [];
    const holder = (name: string, owner?: object) => ({
      ...(owner && { owner }),
      cutOff: () => void cut.push(`${name} at ${unsent.total}`),
    });
    return { unsent, cut, holder };
  }

  it("are the sum of what each holds now", () => {
    const { unsent, holder } = createHolders(100);
    const [a, b] = [holder("a"), holder("b")];
    unsent.set(a, 30);
    unsent.set(b, 20);
    expect(unsent.total).toBe(50);
    unsent.set(a, 10);
    unsent.set(b, 0);
    expect(unsent.total).toBe(10);
  });

  it("beyond the limit cost the client with the most its connection, and are free when it learns of it", () => {
    const { unsent, cut, holder } = createHolders(100);
    const [a, b, c] = [holder("a"), holder("b"), holder("c")];
    unsent.set(a, 40);
    unsent.set(b, 50);
    unsent.set(c, 10);
    expect(cut).toEqual([]);
    unsent.set(c, 11);
    expect(cut).toEqual(["b at 51"]);
    unsent.set(a, 90);
    expect(cut).toEqual(["b at 51", "a at 11"]);
  });

  it("count together where several holders belong to one client, which loses all", () => {
    const { unsent, cut, holder } = createHolders(100);
    const owner = {};
    unsent.set(holder("other"), 45);
    unsent.set(holder("first", owner), 25);
    unsent.set(holder("second", owner), 31);
    expect(cut).toEqual(["first at 45", "second at 45"]);
  });

  it("count those who were cut off elsewhere", () => {
    const { unsent } = createHolders(1);
    unsent.noteCut();
    unsent.noteCut();
    expect(unsent.cut).toBe(2);
  });
});
