import { endOfString } from "./end-of-string.ts";
import { MAX_DEPTH, Scanner } from "./scanner.ts";
import { type Json, NumberLiteral } from "./value.ts";

const QUOTE = 0x22;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** A parsed text: its first value, or the reference's error text. */
export type Parsed =
  | { readonly value: Json; readonly idTexts?: ReadonlyMap<object, string> }
  | { readonly syntaxError: string };

/**
 * Numbers that a double does not preserve as written, and string ids with escapes: texts that need `readExactly`.
 * A false match inside a string only costs time.
 */
const INEXACT = /[:[,]\s*(?:-|\d{16}|\d{1,15}[.eE])|"[iI][dD]"\s*:\s*"[^"\\]*\\/;

/** Whether a text has to be parsed value by value, which is several times slower. */
export function isInexact(text: string): boolean {
  return INEXACT.test(text.length > LONG_STRING ? withoutLongStrings(text) : text);
}

/** Characters of a string that is worth skipping, such as a contract's code. */
const LONG_STRING = 16 * 1024;
/** Strings looked at for long ones: skipping thousands of short ones would take longer than the search. */
const STRINGS_LOOKED_AT = 64;

/** A text without the contents of its first long strings that have no escapes, through which `INEXACT` takes as long as `JSON.parse`. */
function withoutLongStrings(text: string): string {
  let [short, from] = ["", 0];
  let start = text.indexOf('"');
  for (let strings = 0; start >= 0 && strings < STRINGS_LOOKED_AT; strings++) {
    const end = endOfString(text, start);
    if (end < 0) break;
    if (end - start > LONG_STRING && !text.slice(start, end).includes("\\")) {
      short += text.slice(from, start + 1);
      from = end;
    }
    start = text.indexOf('"', end + 1);
  }
  return short + text.slice(from);
}

/** Parses the first JSON value of a text; anything after it is ignored. The fast path is `JSON.parse`. */
export function parseJson(text: string): Parsed {
  if (!isInexact(text) && !mayBeTooDeep(text)) {
    try {
      return { value: JSON.parse(text) as Json };
    } catch {
      // Not JSON, or JSON followed by something else: the exact reader finds out.
    }
  }
  return readExactly(text);
}

/** Whether a text has more levels than a value may have; most have not even as many brackets. */
function mayBeTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH || occurrences(text, "[") + occurrences(text, "{") <= MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return true;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return false;
}

function occurrences(text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count++;
  return count;
}

/**
 * Parses like `parseJson`, keeping numbers as written where a double would change them, and for each object the source
 * text of its member `id` (by any case) in `idTexts`. Repeated members count at their last place.
 */
export function readExactly(text: string): Parsed {
  const scanner = new Scanner();
  const scan = scanner.scan(new TextEncoder().encode(text));
  if (scan.status === "invalid") return { syntaxError: scan.reason };
  if (scan.status === "complete") return new Reader(text).read();
  const reason = scanner.finish();
  return reason === undefined ? new Reader(text).read() : { syntaxError: reason };
}

type Container = Json[] | { [key: string]: Json };

/** Builds the value of a text that a `Scanner` has accepted; without recursion, so that depth costs no stack. */
class Reader {
  readonly #text: string;
  #at = 0;
  readonly #idTexts = new Map<object, string>();

  constructor(text: string) {
    this.#text = text;
  }

  read(): Parsed {
    const open: { into: Container; key: string }[] = [];
    for (;;) {
      while (isBetween(this.#text.charCodeAt(this.#at))) this.#at++;
      const top = open.at(-1);
      if (top !== undefined && (this.#peek() === "]" || this.#peek() === "}")) {
        this.#at++;
        open.pop();
        if (open.length === 0) return { value: top.into, idTexts: this.#idTexts };
        continue;
      }
      if (top !== undefined && !Array.isArray(top.into)) top.key = this.#key();
      const start = this.#at;
      const value = this.#value();
      if (top === undefined && !isContainer(value)) return { value };
      if (top !== undefined) this.#store(top, value, this.#text.slice(start, this.#at));
      if (isContainer(value)) open.push({ into: value, key: "" });
    }
  }

  #store(top: { into: Container; key: string }, value: Json, source: string): void {
    if (Array.isArray(top.into)) {
      top.into.push(value);
      return;
    }
    if (top.key.toLowerCase() === "id") this.#idTexts.set(top.into, source);
    if (top.key in top.into) delete top.into[top.key];
    top.into[top.key] = value;
  }

  #peek(): string {
    return this.#text[this.#at] as string;
  }

  #key(): string {
    const key = this.#string();
    while (isBetween(this.#text.charCodeAt(this.#at))) this.#at++;
    return key;
  }

  /** A scalar, or an empty container whose opening bracket has been read. */
  #value(): Json {
    const char = this.#peek();
    if (char === '"') return this.#string();
    if (char === "{" || char === "[") {
      this.#at++;
      return char === "{" ? Object.create(null) : [];
    }
    const start = this.#at;
    while (isWordCode(this.#text.charCodeAt(this.#at))) this.#at++;
    const word = this.#text.slice(start, this.#at);
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    const number = Number(word);
    return String(number) === word ? number : new NumberLiteral(word);
  }

  #string(): string {
    const start = this.#at;
    const end = endOfString(this.#text, start);
    this.#at = end + 1;
    const plain = this.#text.slice(start + 1, end);
    return plain.includes("\\") ? (JSON.parse(this.#text.slice(start, end + 1)) as string) : plain;
  }
}

/** Whitespace, commas and colons between the values of valid JSON. */
function isBetween(code: number): boolean {
  return code === 0x20 || code === 0x2c || code === 0x3a || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Of numbers, `true`, `false` and `null`. */
function isWordCode(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e;
}

function isContainer(value: Json): value is Container {
  return typeof value === "object" && value !== null && !(value instanceof NumberLiteral);
}
