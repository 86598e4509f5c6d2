import { WORD_TEXT } from "./word-texts.ts";

/** Characters of a slot with its value, with the comma behind it. */
export const SLOT_TEXT = 2 * WORD_TEXT;

const COLON = 0x3a;

/** The slots of one contract that steps so far wrote, as the members of an object in JSON. */
export class WrittenSlots {
  bytes = new Uint8Array(4 * SLOT_TEXT);
  /** Places of the slots, by their text. */
  readonly #places = new Map<string, number>();

  get count(): number {
    return this.#places.size;
  }

  /** Notes a write. @param words - texts of the words; `value` and `slot` are their places in it */
  write(words: Uint8Array, slot: number, value: number): void {
    const text = words.subarray(slot * WORD_TEXT, (slot + 1) * WORD_TEXT);
    const key = String.fromCharCode(...text);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(key, place);
      this.#reserve(place + 1);
      this.bytes.set(text, place * SLOT_TEXT);
      this.bytes[place * SLOT_TEXT + WORD_TEXT - 1] = COLON;
    }
    this.bytes.set(words.subarray(value * WORD_TEXT, (value + 1) * WORD_TEXT), place * SLOT_TEXT + WORD_TEXT);
  }

  #reserve(slots: number): void {
    if (slots * SLOT_TEXT <= this.bytes.length) return;
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
