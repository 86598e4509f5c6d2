import { bigintToFixedBytes } from "../../primitives/bytes.ts";
import { compile, instantiate, type WasmMemory } from "../../wasm/web-assembly.ts";
import { SUM_ENTRY } from "./batches.ts";
import { Elements } from "./elements.ts";
import * as layout from "./layout.ts";
import { madeOdd, splitScalar } from "./scalars.ts";

/** What the module exports; see the functions of these names. */
export interface Exports {
  readonly memory: WasmMemory;
  readonly lift: (group: number) => void;
  readonly turnMultiples: (group: number) => void;
  readonly gatherWindows: (group: number) => void;
  readonly gatherKnown: (group: number) => void;
  readonly gatherComb: (group: number) => void;
  readonly ladder: (to: number, windows: number, last: number) => void;
  readonly double: (point: number) => void;
  readonly canonical: (to: number, element: number) => void;
  readonly addPoints: (list: number, length: number, base: number, stride: number, groups: number) => void;
  readonly toAffine: (base: number, stride: number, groups: number) => void;
  readonly markOnCurve: (result: number) => void;
}

/** A sum of two points of a group, by their offsets there. */
export type Sum = readonly [to: number, a: number, b: number];
/** A list of sums that share an inversion, in the module's memory. */
export type SumList = readonly [list: number, length: number];

/** An odd number k below 2^b plus 2^b - 1, of which half is read: digits d of w bits then count 2d + 1 - 2^w. */
const HALF_BIAS = 2n ** 130n - 1n;
const COMB_BIAS = 2n ** 256n - 1n;

/** The module and its memory, and how groups get their scalars. */
export class Workspace {
  readonly wasm: Exports;
  #elements: Elements;
  #words: Int32Array;
  #scalars: BigInt64Array;
  #lists = layout.LISTS;

  /** @param module - the bytes of the WebAssembly module */
  constructor(module: Uint8Array) {
    this.wasm = instantiate<Exports>(compile(module));
    const { buffer } = this.wasm.memory;
    this.#elements = new Elements(buffer);
    this.#words = new Int32Array(buffer);
    this.#scalars = new BigInt64Array(buffer);
  }

  /** The numbers in its memory. Another object once it has grown. */
  get elements(): Elements {
    return this.#elements;
  }

  /** Its memory. Another object once it has grown. */
  get words(): Int32Array {
    return this.#words;
  }

  /** Appends pages of 64 KiB to the memory. */
  grow(pages: number): void {
    this.wasm.memory.grow(pages);
    const { buffer } = this.wasm.memory;
    this.#elements = new Elements(buffer);
    this.#words = new Int32Array(buffer);
    this.#scalars = new BigInt64Array(buffer);
  }

  /** Writes lists of sums, which stay. */
  keepLists(lists: readonly (readonly Sum[])[]): readonly SumList[] {
    return lists.map((sums) => {
      const list = this.#lists;
      this.#words.set(sums.flat(), list / 4);
      this.#lists += sums.length * SUM_ENTRY;
      return [list, sums.length] as const;
    });
  }

  /** Writes one number into all lanes of an element. */
  fill(element: number, value: bigint): void {
    const bytes = bigintToFixedBytes(value, 32);
    for (let lane = 0; lane < 4; lane++) this.#elements.put(element, lane, bytes);
  }

  /**
   * Writes the scalars of signature `i`: by which the base point is multiplied, and the other point. Those of the base point must
   * not be 0: the windows of 0 would sum to the point at infinity, which has no place among the others.
   */
  putScalars(i: number, base: bigint, other: bigint): void {
    const [k1, k2] = splitScalar(other);
    const row = (groupOf(i) + layout.SCALARS + (i & 3) * layout.SCALAR_ROW) / 8;
    this.#wide(row, k1 + HALF_BIAS);
    this.#wide(row + 3, k2 + HALF_BIAS);
    const comb = (madeOdd(base) + COMB_BIAS) >> 1n;
    this.#wide(row + 6, comb);
    this.#scalars[row + 9] = comb >> 192n;
  }

  /** Writes 192 bits. */
  #wide(at: number, value: bigint): void {
    this.#scalars[at] = value;
    this.#scalars[at + 1] = value >> 64n;
    this.#scalars[at + 2] = value >> 128n;
  }

  /** Copies what is given of the signature before to signature `i`, so that a group has four. */
  repeatLane(i: number): void {
    const words = this.#words;
    const group = groupOf(i);
    const lane = i & 3;
    const x = (group + layout.TABLE) / 4;
    for (let k = 0; k < 10; k++) words[x + 4 * k + lane] = words[x + 4 * k + lane - 1] as number;
    const row = (group + layout.SCALARS + lane * layout.SCALAR_ROW) / 4;
    words.copyWithin(row, row - layout.SCALAR_ROW / 4, row);
    for (const place of [layout.PARITY, layout.KEY_TABLES])
      words[(group + place) / 4 + lane] = words[(group + place) / 4 + lane - 1] as number;
  }
}

/** The group of signature `i`. */
export function groupOf(i: number): number {
  return layout.GROUPS + (i >> 2) * layout.GROUP;
}

/** Rounds that make the odd multiples 1, 3, 5… of a point of those before and of doubles, which are kept apart. */
export function oddMultiples(count: number, first: number, distance: number, doubles: number): Sum[][] {
  const multiple = (index: number): number => first + index * distance;
  const rounds: Sum[][] = [];
  for (let known = 1, round = 0; known <= count; known *= 2, round++) {
    const twice = doubles + round * layout.POINT;
    const before = round === 0 ? first : twice - layout.POINT;
    const sums: Sum[] =
      round > 0 ? range(known / 2).map((i) => [multiple(known / 2 + i), multiple(i), before]) : [];
    if (known < count) sums.push([twice, before, before]);
    rounds.push(sums);
  }
  return rounds;
}

/** Rounds that sum neighbouring points, two at a time, into the first. */
export function neighbourSums(first: number, count: number): Sum[][] {
  const point = (index: number): number => first + index * layout.POINT;
  const rounds: Sum[][] = [];
  for (let distance = 1; distance < count; distance *= 2) {
    const sums = range(Math.ceil((count - distance) / (2 * distance)));
    rounds.push(
      sums.map((i) => [point(2 * distance * i), point(2 * distance * i), point(2 * distance * i + distance)]),
    );
  }
  return rounds;
}

/** The numbers from 0 on. */
export function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
