import { WORD_TEXT } from "./word-texts.ts";

/** Length of a slot, its value and a comma, characters. */
export const SLOT_TEXT = 2 * WORD_TEXT;

const COLON = 0x3a;

/** The slots of a contract written so far, as the members of a JSON object. */
export class WrittenSlots {
  bytes = new Uint8Array(4 * SLOT_TEXT);
  /** Indexes of the slots, by their text. */
  readonly #indexes = new Map<string, number>();

  get count(): number {
    return this.#indexes.size;
  }

  /** Records a write. @param words - texts of words; `slot` and `value` are indexes of words in it */
  write(words: Uint8Array, slot: number, value: number): void {
    const text = words.subarray(slot * WORD_TEXT, (slot + 1) * WORD_TEXT);
    const key = String.fromCharCode(...text);
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = this.#indexes.size;
      this.#indexes.set(key, index);
      this.#reserve(index + 1);
      this.bytes.set(text, index * SLOT_TEXT);
      this.bytes[index * SLOT_TEXT + WORD_TEXT - 1] = COLON;
    }
    this.bytes.set(words.subarray(value * WORD_TEXT, (value + 1) * WORD_TEXT), index * SLOT_TEXT + WORD_TEXT);
  }

  #reserve(slots: number): void {
    if (slots * SLOT_TEXT <= this.bytes.length) return;
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
