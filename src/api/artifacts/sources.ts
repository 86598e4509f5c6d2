import { type Definition, outlineOf } from "./outline.ts";

/** A place in a source. */
export interface SourcePlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly contract: string;
  /** Absent outside functions. */
  readonly function?: string | undefined;
  /** Whether it is the start of the function, to which compilers attribute generated code such as the dispatch by selector. */
  readonly isHead: boolean;
}

/** A source of contracts. Its definitions are parsed on demand. */
export class SourceFile {
  readonly name: string;
  readonly #text: string;
  #definitions: readonly Definition[] | undefined;
  /** Of the newlines. */
  #lineEnds: readonly number[] | undefined;

  /** @param bytes - UTF-8 */
  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  }

  /** The place of a byte; undefined beyond the end. */
  place(offset: number): SourcePlace | undefined {
    if (offset < 0 || offset >= this.#text.length) return undefined;
    this.#definitions ??= outlineOf(this.#text);
    let inner: Definition | undefined;
    for (const definition of this.#definitions) {
      const isAround = definition.start <= offset && offset < definition.end;
      if (isAround && (inner === undefined || definition.start >= inner.start)) inner = definition;
    }
    const { contract = "", function: name } = inner ?? {};
    return {
      file: this.name,
      line: this.#lineOf(offset),
      contract,
      function: name,
      isHead: inner?.start === offset,
    };
  }

  #lineOf(offset: number): number {
    this.#lineEnds ??= newlinesOf(this.#text);
    let [from, to] = [0, this.#lineEnds.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#lineEnds[middle] as number) < offset) from = middle + 1;
      else to = middle;
    }
    return from + 1;
  }
}

function newlinesOf(text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) places.push(at);
  return places;
}

/** The sources of one run of a compiler. */
export interface SourceSet {
  /** By the number used in source maps; undefined if not available. */
  source(number: number): SourceFile | undefined;
}
