import type { Pace } from "../runtime/turns/pace.ts";
import { IntakeError } from "./errors.ts";
import { FILE_DEPTH } from "./nesting.ts";

/** Values parsed between checks of the clock. */
const STEPS = 256;

/** A JSON value. Objects have no prototype, so that names such as `__proto__` are harmless. */
export type PlainJson = string | number | boolean | null | PlainJson[] | { [member: string]: PlainJson };

/** Longest string, in bytes; the longest ones are contract code. */
const MAX_STRING = 8 << 20;
/** Longest run of whitespace. */
const MAX_WHITESPACE = 1 << 20;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const WHITESPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const ENDS: ReadonlySet<number | undefined> = new Set([...WHITESPACE, COMMA, LIST_END, OBJECT_END]);
/** Longest number, `true`, `false` or `null`. */
const MAX_WORD = 400;

/**
 * Parses a long JSON text in slices, yielding in between.
 * @param bytes - UTF-8
 * @param maxValues - maximum number of values: each costs memory, however short its text
 * @param depth - maximum levels of nesting
 * @throws IntakeError `TOO_DEEP`, `TOO_LARGE` for too many values, `DAMAGED` with the position
 */
export async function parseJsonPaced(
  bytes: Uint8Array,
  maxValues: number,
  pace: Pace,
  depth: number = FILE_DEPTH,
): Promise<PlainJson> {
  const reader = new Reader(bytes, maxValues, depth);
  for (let step = 1; !reader.advance(); step++) if (step % STEPS === 0 && pace.isDue()) await pace.yield();
  return reader.value;
}

/**
 * An object without members of a prototype, also without `__proto__`. Unlike `Object.create(null)`, which makes hash tables, objects of the
 * same few members share their layout, a quarter of the memory.
 */
class PlainObject {
  [member: string]: PlainJson;
}
Reflect.deleteProperty(PlainObject.prototype, "constructor");
Object.setPrototypeOf(PlainObject.prototype, null);

type Container = PlainJson[] | { [member: string]: PlainJson };

/** An iterative parser, so that depth costs no stack and parsing can pause anywhere. */
class Reader {
  readonly #bytes: Buffer;
  readonly #open: Container[] = [];
  readonly #keys: string[] = [];
  readonly #maxValues: number;
  readonly #depth: number;
  #at = 0;
  #values = 0;
  #value: PlainJson | undefined;
  /** The next backslash, as far as it has been looked for. */
  #escape = -1;

  constructor(bytes: Uint8Array, maxValues: number, depth: number) {
    this.#maxValues = maxValues;
    this.#depth = depth;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get value(): PlainJson {
    return this.#value as PlainJson;
  }

  /** Reads one value, or the end of one. @returns whether the whole was read */
  advance(): boolean {
    this.#skipWhitespace();
    const top = this.#open.at(-1);
    if (top === undefined && this.#value !== undefined) return this.#finish();
    if (top !== undefined && this.#closes(top)) return false;
    if (top !== undefined && !Array.isArray(top)) this.#keys[this.#open.length] = this.#key();
    this.#store(top, this.#read());
    return false;
  }

  #finish(): boolean {
    if (this.#at < this.#bytes.length) throw this.#wrong("something follows the value");
    return true;
  }

  /** Consumes the comma before the next member, or the closing bracket. @returns whether the container was closed */
  #closes(top: Container): boolean {
    const end = Array.isArray(top) ? LIST_END : OBJECT_END;
    if (this.#bytes[this.#at] === end) {
      this.#at++;
      this.#open.pop();
      this.#hasMembers = true;
      return true;
    }
    if (this.#hasMembers) {
      if (this.#bytes[this.#at] !== COMMA) throw this.#wrong("a comma or an end is expected");
      this.#at++;
      this.#skipWhitespace();
    }
    return false;
  }

  /** Whether the open container already has a member, so that a comma is next. */
  #hasMembers = false;

  #key(): string {
    if (this.#bytes[this.#at] !== QUOTE) throw this.#wrong("a name is expected");
    const key = this.#string();
    this.#skipWhitespace();
    if (this.#bytes[this.#at] !== COLON) throw this.#wrong("a colon is expected");
    this.#at++;
    this.#skipWhitespace();
    return key;
  }

  #read(): PlainJson {
    if (++this.#values > this.#maxValues)
      throw new IntakeError("TOO_LARGE", `JSON of more than ${this.#maxValues} values`);
    const first = this.#bytes[this.#at];
    if (first === QUOTE) return this.#string();
    if (first === LIST || first === OBJECT) {
      this.#at++;
      return first === LIST ? [] : new PlainObject();
    }
    return this.#word();
  }

  #store(top: Container | undefined, value: PlainJson): void {
    if (top === undefined) this.#value = value;
    else if (Array.isArray(top)) top.push(value);
    else top[this.#keys[this.#open.length] as string] = value;
    const opens = typeof value === "object" && value !== null;
    this.#hasMembers = !opens;
    if (!opens) return;
    if (this.#open.length === this.#depth)
      throw new IntakeError("TOO_DEEP", `JSON of more than ${this.#depth} levels`, { most: this.#depth });
    this.#open.push(value as Container);
  }

  #string(): string {
    const start = this.#at;
    let end = start;
    do {
      end = this.#bytes.indexOf(QUOTE, end + 1);
      if (end < 0) throw this.#wrong("a string has no end");
      if (end - start > MAX_STRING) throw this.#wrong(`a string of more than ${MAX_STRING} bytes`);
    } while (this.#isEscaped(end));
    this.#at = end + 1;
    if (this.#escape < start) this.#escape = this.#next(BACKSLASH, start);
    const isPlain = this.#escape > end;
    const text = this.#bytes.toString("utf8", start + 1, end);
    return isPlain ? text : (this.#parsed(`"${text}"`, start) as string);
  }

  /** @returns past the end if there is none */
  #next(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#bytes.length : at;
  }

  #isEscaped(at: number): boolean {
    let escapes = 0;
    while (this.#bytes[at - 1 - escapes] === BACKSLASH) escapes++;
    return escapes % 2 === 1;
  }

  #word(): PlainJson {
    const start = this.#at;
    while (this.#at < this.#bytes.length && !ENDS.has(this.#bytes[this.#at])) {
      if (++this.#at - start > MAX_WORD) throw this.#wrong("a value is expected");
    }
    return this.#parsed(this.#bytes.toString("latin1", start, this.#at), start);
  }

  #parsed(text: string, start: number): PlainJson {
    try {
      return JSON.parse(text) as PlainJson;
    } catch {
      this.#at = start;
      throw this.#wrong("a value is expected");
    }
  }

  #skipWhitespace(): void {
    const start = this.#at;
    while (WHITESPACE.has(this.#bytes[this.#at])) {
      if (++this.#at - start > MAX_WHITESPACE) throw this.#wrong(`more than ${MAX_WHITESPACE} blanks`);
    }
  }

  #wrong(what: string): IntakeError {
    return new IntakeError("DAMAGED", `no JSON: ${what} at byte ${this.#at}`, { position: this.#at });
  }
}
