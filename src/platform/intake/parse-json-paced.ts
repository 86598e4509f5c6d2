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
  const reading = { values: maxValues, depth, members: Number.POSITIVE_INFINITY, number: Number };
  return parse(new Reader(bytes, reading), pace);
}

/** Limits of a JSON text, and what becomes of its numbers. */
export interface JsonReading<T extends PlainJson | object> {
  readonly values: number;
  /** Levels of nesting. */
  readonly depth: number;
  /** Members of an object: their names are listed in one piece. */
  readonly members: number;
  /** The value of a number that a double does not hold as it is written. */
  number(text: string): T;
}

/** A JSON value with such numbers. */
export type JsonWith<T> = PlainJson | T | JsonWith<T>[] | { [member: string]: JsonWith<T> };

/** The same. @throws IntakeError as `parseJsonPaced`, and `TOO_LARGE` for an object with too many members */
export function parseJsonPacedWith<T extends PlainJson | object>(
  bytes: Uint8Array,
  reading: JsonReading<T>,
  pace: Pace,
): Promise<JsonWith<T>> {
  return parse(new Reader(bytes, reading), pace);
}

async function parse<T extends PlainJson | object>(reader: Reader<T>, pace: Pace): Promise<JsonWith<T>> {
  for (let step = 1; !reader.advance(); step++) if (step % STEPS === 0 && pace.isDue()) await pace.yield();
  return reader.value;
}

/**
 * An object without members of a prototype, also without `__proto__`. Unlike `Object.create(null)`, which makes hash tables, objects of the
 * same few members share their layout, a quarter of the memory.
 */
class PlainObject {
  [member: string]: never;
}
Reflect.deleteProperty(PlainObject.prototype, "constructor");
Object.setPrototypeOf(PlainObject.prototype, null);

type Container<T> = JsonWith<T>[] | { [member: string]: JsonWith<T> };

/** An iterative parser, so that depth costs no stack and parsing can pause anywhere. */
class Reader<T extends PlainJson | object> {
  readonly #bytes: Buffer;
  readonly #open: Container<T>[] = [];
  readonly #keys: string[] = [];
  /** Members of the open containers. */
  readonly #counts: number[] = [];
  readonly #reading: JsonReading<T>;
  #at = 0;
  #values = 0;
  #value: JsonWith<T> | undefined;
  /** Whether the last value was an opening bracket. */
  #opens = false;
  /** The next backslash, as far as it has been looked for. */
  #escape = -1;

  constructor(bytes: Uint8Array, reading: JsonReading<T>) {
    this.#reading = reading;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get value(): JsonWith<T> {
    return this.#value as JsonWith<T>;
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
  #closes(top: Container<T>): boolean {
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
    const { members } = this.#reading;
    const level = this.#open.length - 1;
    this.#counts[level] = (this.#counts[level] ?? 0) + 1;
    if ((this.#counts[level] ?? 0) > members)
      throw new IntakeError("TOO_LARGE", `JSON with an object of more than ${members} members`);
    const key = this.#string();
    this.#skipWhitespace();
    if (this.#bytes[this.#at] !== COLON) throw this.#wrong("a colon is expected");
    this.#at++;
    this.#skipWhitespace();
    return key;
  }

  #read(): JsonWith<T> {
    const { values } = this.#reading;
    if (++this.#values > values) throw new IntakeError("TOO_LARGE", `JSON of more than ${values} values`);
    const first = this.#bytes[this.#at];
    this.#opens = first === LIST || first === OBJECT;
    if (first === QUOTE) return this.#string();
    if (this.#opens) {
      this.#at++;
      return first === LIST ? [] : new PlainObject();
    }
    return this.#word();
  }

  #store(top: Container<T> | undefined, value: JsonWith<T>): void {
    if (top === undefined) this.#value = value;
    else if (Array.isArray(top)) top.push(value);
    else top[this.#keys[this.#open.length] as string] = value;
    this.#hasMembers = !this.#opens;
    if (!this.#opens) return;
    const { depth } = this.#reading;
    if (this.#open.length === depth)
      throw new IntakeError("TOO_DEEP", `JSON of more than ${depth} levels`, { most: depth });
    this.#counts[this.#open.length] = 0;
    this.#open.push(value as Container<T>);
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

  #word(): JsonWith<T> {
    const start = this.#at;
    while (this.#at < this.#bytes.length && !ENDS.has(this.#bytes[this.#at])) {
      if (++this.#at - start > MAX_WORD) throw this.#wrong("a value is expected");
    }
    const word = this.#bytes.toString("latin1", start, this.#at);
    const value = this.#parsed(word, start);
    return typeof value === "number" && String(value) !== word ? this.#reading.number(word) : value;
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
