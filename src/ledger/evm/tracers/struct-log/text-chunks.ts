const CHUNK = 0x40000;
const COMMA = 0x2c;

/** A buffer for ASCII text that grows in large chunks; text is written at `at` of `bytes`, after `reserve`. */
export class TextChunks {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  bytes = new Uint8Array(CHUNK);
  at = 0;

  /** Reserves `size` contiguous bytes. */
  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    this.#full.push(this.bytes.subarray(0, this.at));
    this.at = 0;
    this.bytes = new Uint8Array(Math.max(size, CHUNK));
  }

  comma(): void {
    this.bytes[this.at++] = COMMA;
  }

  /** Writes ASCII text. */
  put(text: string): void {
    const { bytes } = this;
    let { at } = this;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.at = at;
  }

  /** Writes ASCII bytes. */
  copy(text: Uint8Array, size: number): void {
    this.bytes.set(size === text.length ? text : text.subarray(0, size), this.at);
    this.at += size;
  }

  /** Writes an integer in decimal. */
  number(value: number): void {
    if (value < 0 || value > 0x7fff_ffff) {
      this.put(String(value));
      return;
    }
    let digits = 1;
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits++;
    const end = this.at + digits;
    for (let at = end - 1, rest = value; at >= this.at; at--) {
      const tens = (rest / 10) | 0;
      this.bytes[at] = 0x30 + rest - 10 * tens;
      rest = tens;
    }
    this.at = end;
  }

  /** All chunks written, each with its own buffer; nothing may be written afterwards. */
  chunks(): readonly Uint8Array<ArrayBuffer>[] {
    const chunks = [...this.#full, this.bytes.subarray(0, this.at)];
    this.#full.length = 0;
    this.bytes = new Uint8Array(0);
    this.at = 0;
    return chunks;
  }
}
