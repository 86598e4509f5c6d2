import { expect, it } from "vitest";
import type { Table } from "../../database/table/table.ts";
import { CodeStore } from "./code-store.ts";

const MIB = 1 << 20;

it("reads a code once while the most recent ones have room, 4 MiB, and says which one is missing", () => {
  const read: number[] = [];
  const get = ([number = 0]: Uint8Array) => {
    read.push(number);
    return number === 99 ? undefined : new Uint8Array(MIB).fill(number);
  };
  const store = new CodeStore({ get } as unknown as Table);
  const hash = (number: number) => new Uint8Array(32).fill(number);
  const codes = (...numbers: number[]) => numbers.map((number) => store.get(hash(number))[0]);
  expect(codes(1, 2, 3, 4, 1)).toEqual([1, 2, 3, 4, 1]);
  // 1 was used later than 2
  expect(codes(5, 1, 3, 4, 5, 2)).toEqual([5, 1, 3, 4, 5, 2]);
  expect(read).toEqual([1, 2, 3, 4, 5, 2]);
  expect(codes(3, 4, 5, 2)).toEqual([3, 4, 5, 2]);
  expect(codes(6, 7, 8, 9, 6, 7, 8, 9)).toEqual([6, 7, 8, 9, 6, 7, 8, 9]);
  expect(read.slice(-4)).toEqual([6, 7, 8, 9]);
  expect(store.find(hash(99))).toBeUndefined();
  expect(() => store.get(hash(99))).toThrow(/code 0x6363.* is missing/);
});
