import { describe, expect, it } from "vitest";
import { SharedBytes } from "./shared-bytes.ts";

describe("bytes held for many", () => {
  /** Holders by name, of the same client where one is given. */
  function createHolders(most: number) {
    const held = new SharedBytes(most);
    const cut: string[] = [];
    const holder = (name: string, owner?: object) => ({
      ...(owner && { owner }),
      cutOff: () => void cut.push(`${name} at ${held.total}`),
    });
    return { held, cut, holder };
  }

  it("are the sum of what each holds now", () => {
    const { held, holder } = createHolders(100);
    const [a, b] = [holder("a"), holder("b")];
    held.set(a, 30);
    held.set(b, 20);
    expect(held.total).toBe(50);
    held.set(a, 10);
    held.set(b, 0);
    expect(held.total).toBe(10);
  });

  it("beyond the limit cost the client with the most its connection, and are free when it learns of it", () => {
    const { held, cut, holder } = createHolders(100);
    const [a, b, c] = [holder("a"), holder("b"), holder("c")];
    held.set(a, 40);
    held.set(b, 50);
    held.set(c, 10);
    expect(cut).toEqual([]);
    held.set(c, 11);
    expect(cut).toEqual(["b at 51"]);
    held.set(a, 90);
    expect(cut).toEqual(["b at 51", "a at 11"]);
  });

  it("count together where several holders belong to one client, which loses all", () => {
    const { held, cut, holder } = createHolders(100);
    const owner = {};
    held.set(holder("other"), 45);
    held.set(holder("first", owner), 25);
    held.set(holder("second", owner), 31);
    expect(cut).toEqual(["first at 45", "second at 45"]);
  });

  it("beyond the limit cost nobody else anything, even if one holder of that client does not suffice", () => {
    const { held, cut, holder } = createHolders(100);
    const owner = {};
    held.set(holder("other"), 55);
    held.set(holder("first", owner), 10);
    held.set(holder("second", owner), 50);
    expect(cut).toEqual(["first at 55", "second at 55"]);
  });
});
