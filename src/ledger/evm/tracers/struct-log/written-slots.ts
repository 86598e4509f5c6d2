import { compareBytes } from "../../../../protocol/primitives/bytes.ts";
import { WORD_TEXT } from "./word-texts.ts";

/** Length of a slot, its value and a comma, characters. */
export const SLOT_TEXT = 2 * WORD_TEXT;

const COLON = 0x3a;

/** The slots of a contract written so far, as the members of a JSON object in the order of their names. */
export class WrittenSlots {
  bytes = new Uint8Array(4 * SLOT_TEXT);
  count = 0;

  /** Records a write. @param words - texts of words; `slot` and `value` are indexes of words in it */
  write(words: Uint8Array, slot: number, value: number): void {
    const text = words.subarray(slot * WORD_TEXT, (slot + 1) * WORD_TEXT - 1);
    const index = this.#indexOf(text);
    const start = index * SLOT_TEXT;
    if (index === this.count || this.#compare(index, text) !== 0) this.#insert(start, text);
    this.bytes.set(words.subarray(value * WORD_TEXT, (value + 1) * WORD_TEXT), start + WORD_TEXT);
  }

  /** Number of the slots before this one. */
  #indexOf(text: Uint8Array): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, text) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(index: number, text: Uint8Array): number {
    const start = index * SLOT_TEXT;
    return compareBytes(this.bytes.subarray(start, start + text.length), text);
  }

  #insert(start: number, text: Uint8Array): void {
    const end = this.count++ * SLOT_TEXT;
    if (end + SLOT_TEXT > this.bytes.length) {
      const larger = new Uint8Array(2 * this.bytes.length);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes.copyWithin(start + SLOT_TEXT, start, end);
    this.bytes.set(text, start);
    this.bytes[start + WORD_TEXT - 1] = COLON;
  }
}
