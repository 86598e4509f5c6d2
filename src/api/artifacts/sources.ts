import { type Definition, outlineOf } from "./outline.ts";

/** A place in a source as people name it. */
export interface SourcePlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly contract: string;
  /** Absent where no function is around it. */
  readonly function?: string | undefined;
  /** Whether it is where the function begins: compilers put there what they add to it, such as its choice by the selector. */
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

  /** The place of a byte; undefined behind the end. */
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

/** The sources that one run of a compiler has read. */
export interface SourceSet {
  /** By the number that source maps name; undefined for one that is not to be had. */
  source(number: number): SourceFile | undefined;
}
