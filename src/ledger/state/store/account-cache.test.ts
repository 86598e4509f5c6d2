import { expect, it } from "vitest";
import { newEoa } from "../../../protocol/account/account.ts";
import { bigintToFixedBytes } from "../../../protocol/primitives/bytes.ts";
import { AccountCache } from "./account-cache.ts";

it("reads an account once, even an absent one, and again after a change", () => {
  const cache = new AccountCache();
  const read: bigint[] = [];
  const get = (number: bigint) =>
    cache.get(bigintToFixedBytes(number, 20), () => {
      read.push(number);
      return number === 1n ? newEoa(7n) : undefined;
    });
  expect([get(1n), get(1n)?.balance, get(2n), get(2n)]).toEqual([newEoa(7n), 7n, undefined, undefined]);
  const row = new Uint8Array(90).fill(1);
  row.set(bigintToFixedBytes(1n, 20));
  cache.delete(row);
  expect(get(1n)?.balance).toBe(7n);
  expect(read).toEqual([1n, 2n, 1n]);
  expect(cache.use).toEqual({ hits: 2, misses: 3 });
});

it("never returns another account, however many there are", () => {
  const cache = new AccountCache();
  for (let number = 0n; number < 40_000n; number++) {
    const account = cache.get(bigintToFixedBytes(number, 20), () => newEoa(number));
    expect(account?.balance).toBe(number);
  }
});

it("keeps nothing of a failed read", () => {
  const cache = new AccountCache();
  const address = bigintToFixedBytes(1n, 20);
  const failing = () => {
    throw new Error("not loaded");
  };
  expect(cache.get(address, () => newEoa(1n))?.balance).toBe(1n);
  cache.delete(address);
  expect(() => cache.get(address, failing)).toThrow("not loaded");
  expect(cache.get(address, () => newEoa(2n))?.balance).toBe(2n);
});
