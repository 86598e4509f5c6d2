import { expect, it } from "vitest";
import { amount, byteSize, counted, grouped, mebibytes } from "./amounts.ts";

it.each([
  [0n, "0 KAIA"],
  [1n, "1 kei"],
  [10n ** 9n - 1n, "999999999 kei"],
  [10n ** 9n, "0.000000001 KAIA"],
  [15n * 10n ** 17n, "1.5 KAIA"],
  [10n ** 18n, "1 KAIA"],
  [1_234_567n * 10n ** 18n, "1,234,567 KAIA"],
])("shows %d kei as %s", (kei, text) => {
  expect(amount(kei)).toBe(text);
});

it("separates thousands, and uses the plural except for one", () => {
  expect([1, 12, 999, 1000, 21_000, 1_000_000].map(grouped)).toEqual([
    ...["1", "12", "999", "1,000", "21,000", "1,000,000"],
  ]);
  expect([0, 1, 2, 1000].map((count) => counted(count, "block"))).toEqual([
    ...["0 blocks", "1 block", "2 blocks", "1,000 blocks"],
  ]);
});

it.each([
  [0, "0.0 KiB"],
  [1536, "1.5 KiB"],
  [2 ** 20 - 1024, "1023.0 KiB"],
  [2 ** 20, "1.0 MiB"],
  [5 * 2 ** 19, "2.5 MiB"],
])("shows %d bytes as %s", (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});

it("has 1,048,576 bytes in a mebibyte", () => {
  expect([0, 2 ** 19, 3 * 2 ** 20].map(mebibytes)).toEqual([0, 0.5, 3]);
});
