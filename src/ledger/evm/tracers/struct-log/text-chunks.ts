const CHUNK = 0x40000;
const COMMA = 0x2c;

/** ASCII text that grows in large pieces, written at `at` of `bytes` once there is room. */
export class TextChunks {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  bytes = new Uint8Array(CHUNK);
  at = 0;

  /** Makes room for `size` more bytes in one piece. */
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

  /** Writes an integer as JSON has it. */
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

  /** All that was written, in pieces that own their buffers; nothing can be written any more. */
  pieces(): readonly Uint8Array<ArrayBuffer>[] {
    const pieces = [...this.#full, this.bytes.subarray(0, this.at)];
    this.#full.length = 0;
    this.bytes = new Uint8Array(0);
    this.at = 0;
    return pieces;
  }
}
