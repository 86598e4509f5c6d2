/** Length of a quoted word and a comma, characters. */
export const WORD_TEXT = 67;

const QUOTE = 0x22;
const COMMA = 0x2c;
const DIGITS = new TextEncoder().encode("0123456789abcdef");
const HIGH = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS[byte >>> 4] as number);
const LOW = Uint8Array.from({ length: 256 }, (_, byte) => DIGITS[byte & 15] as number);

/**
 * A JSON list of 32-byte words whose unchanged prefix is kept from step to step: most steps change only the last few
 * words of the stack, and no memory.
 */
export class WordTexts {
  bytes = new Uint8Array(32 * WORD_TEXT);
  /** Number of words whose text is up to date. */
  valid = 0;

  /** Invalidates the words from `from` on. */
  truncate(from: number): void {
    if (from < this.valid) this.valid = from;
  }

  /** Reserves room for a number of words. */
  reserve(words: number): void {
    if (words * WORD_TEXT <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(words * WORD_TEXT, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.valid * WORD_TEXT));
    this.bytes = larger;
  }

  /** Reads missing words up to `count` from a stack: 32 bytes each, little-endian. */
  readStack(source: Uint8Array, start: number, count: number): void {
    this.reserve(count);
    for (let word = this.valid; word < count; word++) this.#write(word, source, start + 32 * word + 31, -1);
    this.valid = count;
  }

  /** Reads missing words up to `count` from memory: 32 bytes each, big-endian. */
  readMemory(source: Uint8Array, start: number, count: number): void {
    this.reserve(count);
    for (let word = this.valid; word < count; word++) this.#write(word, source, start + 32 * word, 1);
    this.valid = count;
  }

  /** Rereads one word of memory, if its text is up to date. */
  rereadMemory(source: Uint8Array, start: number, word: number): void {
    if (word < this.valid) this.#write(word, source, start + 32 * word, 1);
  }

  /** Appends zero words up to `count`. */
  extend(count: number): void {
    if (count <= this.valid) return;
    this.reserve(count);
    const { bytes } = this;
    for (let word = this.valid; word < count; word++) {
      const at = word * WORD_TEXT;
      bytes[at] = QUOTE;
      bytes.fill(0x30, at + 1, at + 65);
      bytes[at + 65] = QUOTE;
      bytes[at + 66] = COMMA;
    }
    this.valid = count;
  }

  #write(word: number, source: Uint8Array, first: number, step: 1 | -1): void {
    const { bytes } = this;
    let at = word * WORD_TEXT;
    bytes[at++] = QUOTE;
    for (let i = 0, from = first; i < 32; i++, from += step) {
      const byte = source[from] as number;
      bytes[at++] = HIGH[byte] as number;
      bytes[at++] = LOW[byte] as number;
    }
    bytes[at++] = QUOTE;
    bytes[at] = COMMA;
  }
}

/** Length of a list of words without its brackets, characters. */
export function listSize(words: number): number {
  return words === 0 ? 0 : words * WORD_TEXT - 1;
}
