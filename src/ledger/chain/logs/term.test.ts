import { expect, it } from "vitest";
import { ADDRESS, ANY_LOG, termOf } from "./term.ts";

const bytes = (length: number, first: number) =>
  Uint8Array.from({ length }, (_, i) => (first + 37 * i) & 0xff);

it("gives the terms by which the rows of existing databases are keyed", () => {
  expect(ANY_LOG).toBe(0xc1e7effb86cb);
  expect(termOf(ADDRESS, bytes(20, 0xf1))).toBe(0xbd15ae79f12a);
  expect(termOf(1, bytes(32, 0x80))).toBe(0x42c743838165);
  expect(termOf(4, bytes(32, 0x80))).toBe(0x453ae752ad6b);
});
