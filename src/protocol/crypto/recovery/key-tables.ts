import { CURVE_ORDER } from "../curve.ts";
import * as layout from "./layout.ts";
import { invertAll } from "./scalars.ts";
import type { Possible } from "./signed-hash.ts";
import { groupOf, neighbourSums, oddMultiples, range, type SumList, type Workspace } from "./workspace.ts";

const { ELEMENT, GROUP, GROUPS, JACOBIAN, KEY_TABLE, MULTIPLES, POINT, WINDOWS } = layout;

/** Keys that are given tables together, one a lane. */
export const TOGETHER = 4;
/** Tables at once: 33 KB each, allocated with the first. */
export const MAX_TABLES = 256;
/** Distance of two points with marks behind them, of two windows' multiples and doubles. */
const KEPT = JACOBIAN + 32;
const WINDOW = (MULTIPLES + layout.WINDOW_BITS - 1) * POINT;

/**
 * Tells whether signatures are those of keys that have a table: odd multiples of the key for each window, so that u1·G + u2·Q
 * takes additions alone, which share their inversions. See decision 0029.
 */
export class KeyTables {
  readonly #space: Workspace;
  readonly #rounds: readonly SumList[];
  readonly #multiples: readonly SumList[];
  #areAllocated = false;

  constructor(space: Workspace) {
    this.#space = space;
    this.#rounds = space.keepLists(neighbourSums(layout.COMB_POINTS, layout.COMB_WINDOWS + 2 * WINDOWS));
    this.#multiples = space.keepLists(oddMultiples(MULTIPLES, 0, POINT, MULTIPLES * POINT));
  }

  /**
   * Writes the tables of keys.
   * @param keys - up to `TOGETHER`, 64 bytes each
   * @param tables - which to overwrite, one for each key
   */
  write(keys: readonly Uint8Array[], tables: readonly number[]): void {
    if (!this.#areAllocated) this.#space.grow(Math.ceil((MAX_TABLES * KEY_TABLE) / 65_536));
    this.#areAllocated = true;
    const { elements, words } = this.#space;
    const { double, toAffine, addPoints } = this.#space.wasm;
    const point = GROUPS + WINDOWS * KEPT;
    for (let lane = 0; lane < 4; lane++) {
      const key = keys[Math.min(lane, keys.length - 1)] as Uint8Array;
      elements.put(point, lane, key.slice(0, 32));
      elements.put(point + ELEMENT, lane, key.slice(32));
    }
    words.copyWithin((point + POINT) / 4, layout.ONE / 4, (layout.ONE + ELEMENT) / 4);
    for (let window = 0; window < WINDOWS; window++) {
      words.copyWithin((GROUPS + window * KEPT) / 4, point / 4, (point + JACOBIAN) / 4);
      for (let bit = 0; bit < layout.WINDOW_BITS; bit++) double(point);
    }
    toAffine(GROUPS, KEPT, WINDOWS);
    const multiples = GROUPS + (WINDOWS + 1) * KEPT;
    for (let window = 0; window < WINDOWS; window++) {
      const from = (GROUPS + window * KEPT) / 4;
      words.copyWithin((multiples + window * WINDOW) / 4, from, from + POINT / 4);
    }
    for (const [list, length] of this.#multiples) addPoints(list, length, multiples, WINDOW, WINDOWS);
    for (const [lane, table] of tables.entries()) {
      for (let window = 0; window < WINDOWS; window++) {
        const from = (multiples + window * WINDOW) / 4 + lane;
        const to = (addressOf(table) + window * MULTIPLES * layout.COMB_POINT) / 4;
        for (let k = 0; k < MULTIPLES * 20; k++) words[to + k] = words[from + 4 * k] as number;
      }
    }
  }

  /**
   * Whether each signature is one of the key in its table: whether u1·G + u2·Q, with u1 = z/s and u2 = r/s, is the point R that the signature
   * names by x and parity; then, and only then, recovery finds that key. False also where this arithmetic cannot tell.
   * @param possible - up to `MAX_SIGNATURES`, whose recovery id is 0 or 1
   * @param tables - of each
   */
  confirm(possible: readonly Possible[], tables: readonly number[]): boolean[] {
    const inverses = invertAll(possible.map(({ s }) => s));
    for (const [i, { r, z }] of possible.entries()) {
      const inverse = inverses[i] as bigint;
      this.#space.words[(groupOf(i) + layout.KEY_TABLES) / 4 + (i & 3)] = addressOf(tables[i] as number);
      this.#space.putScalars(i, (z * inverse) % CURVE_ORDER || 1n, (r * inverse) % CURVE_ORDER);
    }
    for (let i = possible.length; i % 4 !== 0; i++) this.#space.repeatLane(i);
    const failed = this.#sum(Math.ceil(possible.length / 4));
    const x = new Uint8Array(32);
    return possible.map(({ signed: { rs, recid }, z }, i) => {
      if (failed[i & 3] || z % CURVE_ORDER === 0n) return false;
      const sum = groupOf(i) + layout.COMB_POINTS;
      const isOdd = (this.#space.words[(sum + ELEMENT) / 4 + (i & 3)] as number) & 1;
      if (isOdd !== recid) return false;
      this.#space.elements.take(sum, i & 3, x, 0);
      return x.every((byte, at) => byte === rs[at]);
    });
  }

  /**
   * Sums the points of all windows into the first.
   * @returns the lanes in which two points were equal or opposite somewhere, so that no sum of them is right
   */
  #sum(groups: number): boolean[] {
    const { gatherComb, gatherKnown, addPoints, canonical } = this.#space.wasm;
    const ends = range(groups).map((i) => GROUPS + i * GROUP);
    for (const group of ends) {
      gatherComb(group);
      gatherKnown(group);
    }
    const failed = [false, false, false, false];
    for (const [list, length] of this.#rounds) {
      addPoints(list, length, GROUPS, GROUP, groups);
      // 1, the inverse of no factor; 0 where the product of all was 0.
      canonical(layout.TEMPORARIES, layout.INVERSE);
      for (const lane of failed.keys())
        failed[lane] ||= this.#space.words[layout.ZERO_LANES / 4 + lane] !== 0;
    }
    for (const group of ends) {
      canonical(group + layout.COMB_POINTS, group + layout.COMB_POINTS);
      canonical(group + layout.COMB_POINTS + ELEMENT, group + layout.COMB_POINTS + ELEMENT);
    }
    return failed;
  }
}

function addressOf(table: number): number {
  return layout.KEY_TABLES_START + table * KEY_TABLE;
}
