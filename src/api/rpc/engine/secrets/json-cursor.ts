const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Where a value lies: from its first byte to the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The text is not JSON; the full parser reports it better. */
export class NotJson extends Error {}

/**
 * Skips through the UTF-8 of a JSON text without creating strings. It checks no more than it needs to: a text that it
 * accepts may still be invalid.
 */
export class JsonCursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next byte that is not whitespace; undefined at the end. */
  peek(): number | undefined {
    while (isBlank(this.#bytes[this.#at])) this.#at++;
    return this.#bytes[this.#at];
  }

  /** Skips an array or object, calling back for each of its parts. @throws NotJson */
  parts(open: number, each: () => void): void {
    if (this.peek() !== open) throw new NotJson();
    this.#at++;
    const close = open + 2; // `]` and `}` are `[` and `{` plus two
    for (let isFirst = true; this.peek() !== close; isFirst = false) {
      if (!isFirst) this.#expect(COMMA);
      each();
    }
    this.#at++;
  }

  /** Skips the name of a member and the colon after it. @throws NotJson */
  name(): Span {
    if (this.peek() !== QUOTE) throw new NotJson();
    const name = this.value();
    this.#expect(COLON);
    return name;
  }

  /** Skips any value; nesting costs no stack. @throws NotJson */
  value(): Span {
    const first = this.peek();
    const start = this.#at;
    let depth = 0;
    do {
      const byte = this.peek();
      if (byte === undefined) throw new NotJson();
      if (byte === QUOTE) this.#string();
      else if (byte === 0x5b || byte === 0x7b) depth += this.#step();
      else if (byte === 0x5d || byte === 0x7d) depth -= this.#step();
      else if (depth > 0) this.#step();
      else this.#scalar();
    } while (depth > 0);
    if (depth < 0 || first === COMMA || first === COLON) throw new NotJson();
    return { start, end: this.#at };
  }

  /** Rewinds to the start of a value. */
  returnTo({ start }: Span): void {
    this.#at = start;
  }

  #step(): 1 {
    this.#at++;
    return 1;
  }

  #expect(byte: number): void {
    if (this.peek() !== byte) throw new NotJson();
    this.#at++;
  }

  #string(): void {
    for (let at = this.#at + 1; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at] as number;
      if (byte === BACKSLASH) at++;
      else if (byte < 0x20) throw new NotJson();
      else if (byte === QUOTE) {
        this.#at = at + 1;
        return;
      }
    }
    throw new NotJson();
  }

  #scalar(): void {
    while (this.#at < this.#bytes.length && !endsScalar(this.#bytes[this.#at] as number)) this.#at++;
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endsScalar(byte: number): boolean {
  return isBlank(byte) || byte === COMMA || byte === 0x5d || byte === 0x7d;
}
