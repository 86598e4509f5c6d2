import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WORD_TEXT } from "./word-texts.ts";
import { SLOT_TEXT, WrittenSlots } from "./written-slots.ts";

const text = (word: number) => `"${word.toString(16).padStart(64, "0")}"`;
const wordsOf = (...words: number[]) =>
  new TextEncoder().encode(words.map((word) => `${text(word)},`).join(""));

/** The members that a struct log shows. */
function shown({ bytes, count }: WrittenSlots): string {
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, count * SLOT_TEXT - 1)));
}

describe("written slots", () => {
  it("are shown once each, with the last value, in the order of their names", () => {
    expect(wordsOf(0).length).toBe(WORD_TEXT);
    const write = fc.tuple(fc.nat(40), fc.nat());
    fc.assert(
      fc.property(fc.array(write, { maxLength: 60 }), (writes) => {
        const slots = new WrittenSlots();
        for (const [slot, value] of writes) slots.write(wordsOf(slot, value), 0, 1);
        const last = [...new Map(writes)].sort(([a], [b]) => a - b);
        expect(shown(slots)).toBe(last.map(([slot, value]) => `${text(slot)}:${text(value)}`).join());
      }),
    );
  });
});
