/** Maximum nesting depth of arrays and objects. */
export const MAX_DEPTH = 10_000;

/** The reference's error text for a truncated value. */
export const CUT_SHORT = "unexpected EOF";

/** What may come next in a JSON text. */
const State = {
  value: 0,
  firstElement: 1,
  firstKey: 2,
  key: 3,
  colon: 4,
  afterElement: 5,
  afterMember: 6,
  string: 7,
  escape: 8,
  unicode: 9,
  literal: 10,
  minus: 11,
  zero: 12,
  integer: 13,
  point: 14,
  fraction: 15,
  exponent: 16,
  exponentSign: 17,
  exponentDigits: 18,
  ended: 19,
} as const;
type State = (typeof State)[keyof typeof State];

const LITERALS: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };
const ESCAPES = 'bfnrt\\/"u';

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isHexDigit = (code: number): boolean =>
  isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

/** The first JSON value of a text ends at `end`; or the text is invalid; or more of it is needed. */
export type Scan =
  | { readonly status: "complete"; readonly end: number }
  | { readonly status: "invalid"; readonly reason: string }
  | { readonly status: "incomplete" };

const INCOMPLETE: Scan = { status: "incomplete" };

/**
 * Checks the syntax of one JSON value, byte by byte, over any number of pieces of its UTF-8. Error texts are those
 * of the reference, which reads bytes, too: `invalid character 'f' looking for beginning of object key string`.
 */
export class Scanner {
  #state: State = State.value;
  /** True for an object, false for an array; innermost last. */
  readonly #open: boolean[] = [];
  #literal = "";
  #matched = 0;
  /** Whether the string being read is a member name. */
  #isKey = false;
  #failure: string | undefined;

  /**
   * Continues at `from`. An array or object is complete with its last bracket, any other value only at the character
   * after it, as in the reference.
   * @returns `complete` with the index after the value
   */
  scan(text: Uint8Array, from = 0): Scan {
    for (let at = from; at < text.length; at++) {
      const done = this.#step(text[at] as number, at);
      if (this.#failure !== undefined) return { status: "invalid", reason: this.#failure };
      if (done !== undefined) return { status: "complete", end: done };
    }
    return INCOMPLETE;
  }

  /** Ends the text: completes a value that is not an array or object. @returns undefined when the value is complete, else the reason */
  finish(): string | undefined {
    const scalar = this.#state === State.ended || (this.#open.length === 0 && this.#numberMayEnd());
    return scalar ? undefined : CUT_SHORT;
  }

  /** @returns the index after the value when it ended here */
  #step(code: number, at: number): number | undefined {
    switch (this.#state) {
      case State.string:
        return this.#inString(code);
      case State.value:
      case State.firstElement:
        return isSpace(code) ? undefined : this.#beginValue(code, at);
      case State.firstKey:
      case State.key:
        return isSpace(code) ? undefined : this.#beginKey(code, at);
      case State.colon:
        if (isSpace(code)) return undefined;
        if (code !== 0x3a) return this.#fail(code, "after object key");
        this.#state = State.value;
        return undefined;
      case State.afterElement:
      case State.afterMember:
        return isSpace(code) ? undefined : this.#afterValue(code, at);
      case State.ended:
        return at;
      case State.escape:
      case State.unicode:
        return this.#inEscape(code);
      case State.literal:
        return this.#inLiteral(code);
      default:
        return this.#inNumber(code, at);
    }
  }

  #beginValue(code: number, at: number): number | undefined {
    const char = String.fromCharCode(code);
    if (char === "]" && this.#state === State.firstElement) return this.#close(at);
    if (char === "{" || char === "[") return this.#enter(char === "{", code);
    if (char === '"') return this.#begin(State.string, false);
    if (char === "-") return this.#begin(State.minus, false);
    if (isDigit(code)) return this.#begin(code === 0x30 ? State.zero : State.integer, false);
    const literal = LITERALS[char];
    if (literal === undefined) return this.#fail(code, "looking for beginning of value");
    this.#literal = literal;
    this.#matched = 1;
    return this.#begin(State.literal, false);
  }

  #begin(state: State, isKey: boolean): undefined {
    this.#state = state;
    this.#isKey = isKey;
    return undefined;
  }

  #enter(object: boolean, code: number): undefined {
    this.#open.push(object);
    this.#state = object ? State.firstKey : State.firstElement;
    return this.#open.length > MAX_DEPTH ? this.#fail(code, "exceeded max depth") : undefined;
  }

  #close(at: number): number | undefined {
    this.#open.pop();
    this.#valueEnded();
    return this.#open.length === 0 ? at + 1 : undefined;
  }

  #valueEnded(): undefined {
    const inner = this.#open.at(-1);
    this.#state = inner === undefined ? State.ended : inner ? State.afterMember : State.afterElement;
    return undefined;
  }

  #beginKey(code: number, at: number): number | undefined {
    if (code === 0x7d && this.#state === State.firstKey) return this.#close(at);
    if (code !== 0x22) return this.#fail(code, "looking for beginning of object key string");
    return this.#begin(State.string, true);
  }

  #afterValue(code: number, at: number): number | undefined {
    const object = this.#state === State.afterMember;
    if (code === (object ? 0x7d : 0x5d)) return this.#close(at);
    if (code !== 0x2c)
      return this.#fail(code, object ? "after object key:value pair" : "after array element");
    this.#state = object ? State.key : State.value;
    return undefined;
  }

  #inString(code: number): number | undefined {
    if (code === 0x22) {
      if (!this.#isKey) return this.#valueEnded();
      this.#state = State.colon;
    } else if (code === 0x5c) this.#state = State.escape;
    else if (code < 0x20) return this.#fail(code, "in string literal");
    return undefined;
  }

  #inEscape(code: number): undefined {
    if (this.#state === State.escape) {
      const char = String.fromCharCode(code);
      if (!ESCAPES.includes(char)) return this.#fail(code, "in string escape code");
      this.#state = char === "u" ? State.unicode : State.string;
      this.#matched = 0;
      return undefined;
    }
    if (!isHexDigit(code)) return this.#fail(code, "in \\u hexadecimal character escape");
    if (++this.#matched === 4) this.#state = State.string;
    return undefined;
  }

  #inLiteral(code: number): number | undefined {
    const expected = this.#literal[this.#matched] as string;
    if (code !== expected.charCodeAt(0))
      return this.#fail(code, `in literal ${this.#literal} (expecting '${expected}')`);
    return ++this.#matched === this.#literal.length ? this.#valueEnded() : undefined;
  }

  #numberMayEnd(): boolean {
    const s = this.#state;
    return s === State.zero || s === State.integer || s === State.fraction || s === State.exponentDigits;
  }

  #inNumber(code: number, at: number): number | undefined {
    const next = this.#nextInNumber(code);
    if (typeof next === "string") return this.#fail(code, next);
    if (next !== undefined) {
      this.#state = next;
      return undefined;
    }
    this.#valueEnded();
    return this.#step(code, at);
  }

  /** @returns the next state, undefined when the number has ended, or the complaint */
  #nextInNumber(code: number): State | string | undefined {
    const digit = isDigit(code);
    switch (this.#state) {
      case State.minus:
        return digit ? (code === 0x30 ? State.zero : State.integer) : "in numeric literal";
      case State.point:
        return digit ? State.fraction : "after decimal point in numeric literal";
      case State.exponent:
        if (code === 0x2b || code === 0x2d) return State.exponentSign;
        return digit ? State.exponentDigits : "in exponent of numeric literal";
      case State.exponentSign:
        return digit ? State.exponentDigits : "in exponent of numeric literal";
      case State.exponentDigits:
        return digit ? State.exponentDigits : undefined;
    }
    if (digit && this.#state !== State.zero) return this.#state;
    if (code === 0x2e && this.#state !== State.fraction) return State.point;
    return (code | 0x20) === 0x65 ? State.exponent : undefined;
  }

  #fail(code: number, where: string): undefined {
    this.#failure = `invalid character ${quotedByte(code)} ${where}`;
    return undefined;
  }
}

const NAMED_CONTROLS: Readonly<Record<number, string>> = {
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
  39: "\\'",
  92: "\\\\",
};

/** A byte as the reference quotes it. */
function quotedByte(code: number): string {
  const named = NAMED_CONTROLS[code];
  if (named !== undefined) return `'${named}'`;
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, "0")}'`;
  return `'${String.fromCharCode(code)}'`;
}
