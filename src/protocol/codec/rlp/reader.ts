import { bytesToBigint, EMPTY_BYTES } from "../../primitives/bytes.ts";
import { measurePayload, nonCanonicalSize, RlpError, tooLarge } from "./item.ts";

/** End of a list that an inner list exceeds: it is never reached, so the outer list has too many elements. */
const OVERRUN = Number.POSITIVE_INFINITY;

/**
 * Reads RLP values in wire order, without building items: for shapes that depend on the values read, for hot
 * decoders, and where the reference node's error texts matter. `type` arguments are the Go type names of those texts.
 *
 * @example
 * const reader = new RlpReader(bytes);
 * reader.enterList("types.Log");
 * const address = reader.fixed(20, "common.Address");
 * reader.leaveList();
 * reader.finish();
 */
export class RlpReader {
  readonly #bytes: Uint8Array;
  #position: number;
  /** End of the innermost open list, or of the input. */
  #limit: number;
  #type = "";
  /** Where the payload measured last begins. */
  #from = 0;
  readonly #open: { readonly limit: number; readonly type: string }[] = [];

  /** @param offset - where the first value begins */
  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#position = offset;
    this.#limit = bytes.length;
  }

  /** Offset of the next value. */
  get position(): number {
    return this.#position;
  }

  /** Whether the innermost open list (or the input) has no more values. */
  get atEnd(): boolean {
    return this.#position >= this.#limit;
  }

  /** Whether the next value is a list. @throws RlpError at the end of the list or input */
  isList(): boolean {
    return this.#tag() >= 0xc0;
  }

  /** Whether the next value is the empty string, 0x80, or the empty list, 0xc0. @throws RlpError at the end of the list or input */
  isEmpty(kind: "string" | "list"): boolean {
    return this.#tag() === (kind === "string" ? 0x80 : 0xc0);
  }

  /** Whether the next value is a string whose length stands in its first byte, 0x80 to 0xb7. @throws RlpError as `isEmpty` */
  hasShortString(): boolean {
    const tag = this.#tag();
    return tag >= 0x80 && tag < 0xb8;
  }

  /** Whether the value behind the next one is a list. @throws RlpError when there is none */
  isListAfterNext(): boolean {
    const start = this.#position;
    this.raw();
    if (this.atEnd) throw new RlpError("RLP_SHORT_INPUT", "unexpected EOF");
    const found = this.isList();
    this.#position = start;
    return found;
  }

  /** The next value, a byte string, as a view of the input. @throws RlpError */
  bytes(type = "[]uint8"): Uint8Array {
    return this.#string(type, type, 0, Number.POSITIVE_INFINITY);
  }

  /**
   * The next value, a string of exactly `size` bytes.
   * @param headerType - the type in texts about a malformed length; the reference names none but for pointers
   * @throws RlpError
   */
  fixed(size: number, type: string, headerType?: string): Uint8Array {
    return this.#string(type, headerType, size, size);
  }

  /** The next value, an unsigned integer without leading zeros of at most `maxBytes` bytes. @throws RlpError */
  uint(type = "*big.Int", maxBytes = Number.POSITIVE_INFINITY): bigint {
    const from = this.#pass(type, type, 0, maxBytes);
    if (from < this.#position && this.#bytes[from] === 0) {
      throw new RlpError("RLP_NOT_CANONICAL", `rlp: non-canonical integer (leading zero bytes) for ${type}`);
    }
    return bytesToBigint(this.#bytes, from, this.#position);
  }

  /** As `uint`, for values below 2⁴⁸. @throws RlpError */
  number(type = "uint8", maxBytes = 1): number {
    return Number(this.uint(type, maxBytes));
  }

  /** The next value, 0 or 1. @throws RlpError */
  bool(): boolean {
    const value = this.uint("bool", 1);
    if (value > 1n) throw new RlpError("RLP_SHAPE", `rlp: invalid boolean value: ${value}`);
    return value === 1n;
  }

  /** The next value with its header, as a view of the input; its contents are not checked. @throws RlpError */
  raw(): Uint8Array {
    const start = this.#position;
    this.skip();
    return this.#bytes.subarray(start, this.#position);
  }

  /** Bytes between two positions, as a view of the input. */
  slice(from: number, end: number): Uint8Array {
    return this.#bytes.subarray(from, end);
  }

  /** Skips the next value; its contents are not checked. @throws RlpError */
  skip(): void {
    const start = this.#position;
    const end = this.#tag() < 0x80 ? start + 1 : this.#header(start);
    if (end > this.#limit) throw tooLarge(true, { start, limit: this.#limit });
    this.#position = end;
  }

  /** Enters the next value, a list. @throws RlpError */
  enterList(type: string): void {
    const tag = this.#tag();
    if (tag >= 0x80) {
      const end = this.#header(this.#position, type);
      if (tag >= 0xc0) {
        this.#open.push({ limit: end > this.#limit ? OVERRUN : this.#limit, type: this.#type });
        this.#position = this.#from;
        this.#limit = end;
        this.#type = type;
        return;
      }
    }
    throw new RlpError("RLP_SHAPE", `rlp: expected input list for ${type}`);
  }

  /** Leaves the innermost list. @throws RlpError if it has unread values */
  leaveList(): void {
    if (!this.atEnd) {
      throw new RlpError("RLP_SHAPE", `rlp: input list has too many elements for ${this.#type}`);
    }
    const outer = this.#open.pop();
    if (outer === undefined) throw new RangeError("no list was entered");
    this.#limit = outer.limit;
    this.#type = outer.type;
  }

  /** Checks that the whole input was read. @throws RlpError `RLP_TRAILING_BYTES` */
  finish(): void {
    if (this.#position !== this.#bytes.length) {
      throw new RlpError("RLP_TRAILING_BYTES", "rlp: input contains more than one value", {
        end: this.#position,
      });
    }
  }

  /** The next value, a string of `min` to `max` bytes. */
  #string(type: string, headerType: string | undefined, min: number, max: number): Uint8Array {
    const from = this.#pass(type, headerType, min, max);
    return from === this.#position ? EMPTY_BYTES : this.#bytes.subarray(from, this.#position);
  }

  /**
   * Passes the next value, a string of `min` to `max` bytes; the order of the checks is that of the reference node.
   * @returns where its bytes begin; they end at the new position
   */
  #pass(type: string, headerType: string | undefined, min: number, max: number): number {
    const start = this.#position;
    const tag = this.#tag();
    if (tag < 0x80 && min <= 1) {
      this.#position = start + 1;
      return start;
    }
    const end = tag < 0x80 ? start + 1 : this.#header(start, headerType);
    const from = tag < 0x80 ? start : this.#from;
    if (tag >= 0xc0) throw new RlpError("RLP_SHAPE", `rlp: expected input string or byte for ${type}`);
    const have = end - from;
    if (have < min || have > max) {
      const how = have > max ? "long" : "short";
      throw new RlpError("RLP_SHAPE", `rlp: input string too ${how} for ${type}`, { min, max, have });
    }
    if (end > this.#limit) throw tooLarge(true, { start, limit: this.#limit });
    if (tag === 0x81 && (this.#bytes[from] as number) < 0x80) throw nonCanonicalSize(start, type);
    this.#position = end;
    return from;
  }

  /**
   * Measures the payload of the value at `start`, whose first byte is 0x80 or more; sets `#from`. As in the reference node, a value in a
   * list may exceed it by its own header: strings are refused afterwards, while a list can be entered and leaves the outer list without
   * an end.
   * @returns the end of the payload
   */
  #header(start: number, type?: string): number {
    const inList = this.#open.length > 0;
    const limit = Math.min(this.#limit, this.#bytes.length);
    const short = (this.#bytes[start] as number) & 0x3f;
    let end = start + 1 + short;
    this.#from = start + 1;
    if (short > 55) ({ from: this.#from, end } = measurePayload(this.#bytes, start, limit, { inList, type }));
    if (inList && end - this.#from > this.#limit - start) throw tooLarge(true, { start, limit });
    if (end > this.#bytes.length) throw tooLarge(false, { start, limit });
    return end;
  }

  #tag(): number {
    if (this.#position < this.#limit) {
      const tag = this.#bytes[this.#position];
      if (tag === undefined) throw tooLarge(false, { start: this.#position });
      return tag;
    }
    if (this.#open.length === 0) throw new RlpError("RLP_EMPTY", "EOF");
    throw new RlpError("RLP_SHAPE", `rlp: too few elements for ${this.#type}`);
  }
}
