/** Appends numbers and byte strings to a growing buffer. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  uint8(value: number): this {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
    return this;
  }

  uint32(value: number): this {
    this.#reserve(4);
    this.#length = this.#buffer.writeUInt32LE(value, this.#length);
    return this;
  }

  uint64(value: bigint): this {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigUInt64LE(value, this.#length);
    return this;
  }

  /** Bytes without their length. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** Length + 1 as u32, or 0 for none, then the bytes. */
  optional(bytes: Uint8Array | null | undefined): this {
    this.uint32(bytes ? bytes.length + 1 : 0);
    return bytes ? this.raw(bytes) : this;
  }

  /** The bytes written so far, as a view; further writes may move to another buffer. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Reads what `ByteWriter` wrote, as views. @throws RangeError beyond the end */
export class ByteReader {
  readonly #buffer: Buffer;
  #position: number;

  constructor(bytes: Uint8Array, position = 0) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#position = position;
  }

  uint8(): number {
    this.#position++;
    return this.#buffer.readUInt8(this.#position - 1);
  }

  uint32(): number {
    this.#position += 4;
    return this.#buffer.readUInt32LE(this.#position - 4);
  }

  uint64(): bigint {
    this.#position += 8;
    return this.#buffer.readBigUInt64LE(this.#position - 8);
  }

  raw(length: number): Uint8Array {
    if (this.#position + length > this.#buffer.length) throw new RangeError("record too short");
    this.#position += length;
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset + this.#position - length, length);
  }

  optional(): Uint8Array | null {
    const length = this.uint32();
    return length === 0 ? null : this.raw(length - 1);
  }
}
