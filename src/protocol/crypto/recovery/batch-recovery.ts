import { bigintToFixedBytes } from "../../primitives/bytes.ts";
import { CURVE_ORDER } from "../curve.ts";
import { KnownKeys } from "./known-keys.ts";
import * as layout from "./layout.ts";
import { bytes as recoveryBytes } from "./recovery.wasm.ts";
import { invertAll } from "./scalars.ts";
import { asNumbers, type Possible, type SignedHash } from "./signed-hash.ts";
import {
  groupOf,
  neighbourSums,
  oddMultiples,
  range,
  type Sum,
  type SumList,
  Workspace,
} from "./workspace.ts";

/** A key of 64 bytes (x and y); undefined if r or s is not a scalar; "unclear" if a library has to decide. */
export type Recovered = Uint8Array | undefined | "unclear";

const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;
const BASE_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
const BASE_Y = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n;
const { COMB_MULTIPLES, COMB_WINDOWS, ELEMENT, GROUP, GROUPS, JACOBIAN, MAX_GROUPS, POINT } = layout;

/** Maximum signatures per run. */
export const MAX_SIGNATURES = 4 * MAX_GROUPS;

/** Recovers many public keys at once, four in the lanes of each vector; see decision 0029. */
export class BatchRecovery {
  /** Which keys to try before recovering one. */
  readonly known: KnownKeys;
  readonly #space: Workspace;
  /** Lists of sums that share an inversion, one after the other. */
  readonly #rounds: readonly SumList[];
  readonly #windowSums: SumList;

  /** @param module - the bytes of the WebAssembly module */
  constructor(module = recoveryBytes()) {
    this.#space = new Workspace(module);
    this.#space.fill(layout.ONE, 1n);
    this.#space.fill(layout.SEVEN, 7n);
    this.#space.fill(layout.BETA, BETA);
    this.#space.fill(layout.BASE_POINT, BASE_X);
    this.#space.fill(layout.BASE_POINT + ELEMENT, BASE_Y);
    this.#buildComb();
    const sums = [...neighbourSums(layout.COMB_POINTS, COMB_WINDOWS), windowSums()];
    for (const [round, added] of tableSums().entries()) sums[round]?.push(...added);
    const lists = this.#space.keepLists(sums);
    this.#windowSums = lists.at(-1) as SumList;
    this.#rounds = lists.slice(0, -1);
    this.known = new KnownKeys(this.#space);
  }

  /**
   * Recovers the keys of up to `MAX_SIGNATURES` signatures.
   * "Unclear" are an x without a point, which a library finds out fast, and what nobody meets by chance: a scalar of 0, a sum of equal or
   * opposite points, and a result beside the curve, which only a fault in this arithmetic leaves.
   */
  recover(signed: readonly SignedHash[]): Recovered[] {
    const results: Recovered[] = new Array(signed.length).fill(undefined);
    const possible = signed.map(asNumbers).filter((each) => each !== undefined);
    if (possible.length === 0) return results;
    const inverses = invertAll(possible.map(({ r }) => r));
    possible.forEach((each, i) => {
      this.#place(i, each, inverses[i] as bigint);
    });
    // Unused lanes repeat the last signature.
    for (let i = possible.length; i % 4 !== 0; i++) this.#space.repeatLane(i);
    this.#run(Math.ceil(possible.length / 4));
    possible.forEach(({ index, z }, i) => {
      results[index] = z === 0n || z === CURVE_ORDER ? "unclear" : this.#result(i);
    });
    return results;
  }

  #run(groups: number): void {
    const { lift, turnMultiples, gatherWindows, gatherComb, ladder } = this.#space.wasm;
    const { addPoints, toAffine, markOnCurve } = this.#space.wasm;
    const end = GROUPS + groups * GROUP;
    for (let group = GROUPS; group < end; group += GROUP) {
      lift(group);
      gatherComb(group);
    }
    for (const [list, length] of this.#rounds) addPoints(list, length, GROUPS, GROUP, groups);
    for (let group = GROUPS; group < end; group += GROUP) {
      turnMultiples(group);
      gatherWindows(group);
    }
    addPoints(...this.#windowSums, GROUPS, GROUP, groups);
    for (let group = GROUPS; group < end; group += GROUP) {
      ladder(group + layout.RESULT, group + layout.WINDOW_POINTS, group + layout.COMB_POINTS);
    }
    toAffine(GROUPS + layout.RESULT, GROUP, groups);
    for (let group = GROUPS; group < end; group += GROUP) markOnCurve(group + layout.RESULT);
  }

  /** Writes x and parity of R, and the scalars, into the lane of a signature. */
  #place(i: number, { signed, r, s, z }: Possible, inverse: bigint): void {
    const { rs, recid } = signed;
    const group = groupOf(i);
    const lane = i & 3;
    const x = recid < 2 ? rs : bigintToFixedBytes(r + CURVE_ORDER, 32);
    this.#space.elements.put(group + layout.TABLE, lane, x);
    this.#space.words[(group + layout.PARITY) / 4 + lane] = recid & 1;
    const u1 = (z * (CURVE_ORDER - inverse)) % CURVE_ORDER || 1n;
    this.#space.putScalars(i, u1, (s * inverse) % CURVE_ORDER);
  }

  #result(i: number): Recovered {
    const { elements, words } = this.#space;
    const group = groupOf(i);
    const lane = i & 3;
    const result = group + layout.RESULT;
    const isMarked = (place: number): boolean => words[place / 4 + lane] !== 0;
    if (!isMarked(group + layout.IS_POINT) || isMarked(result + layout.INFINITE)) return "unclear";
    if (!isMarked(result + layout.ON_CURVE)) return "unclear";
    const key = new Uint8Array(64);
    elements.take(result, lane, key, 0);
    elements.take(result + ELEMENT, lane, key, 32);
    return key;
  }

  /** Fills the table of the base point: for each window the odd multiples of its power of two. */
  #buildComb(): void {
    const { elements, words } = this.#space;
    const { double, toAffine, addPoints } = this.#space.wasm;
    const distance = JACOBIAN + 32;
    const point = GROUPS + COMB_WINDOWS * distance;
    words.copyWithin(point / 4, layout.BASE_POINT / 4, (layout.BASE_POINT + POINT) / 4);
    words.copyWithin((point + POINT) / 4, layout.ONE / 4, (layout.ONE + ELEMENT) / 4);
    for (let window = 0; window < COMB_WINDOWS; window++) {
      const kept = GROUPS + window * distance;
      words.copyWithin(kept / 4, point / 4, (point + JACOBIAN) / 4);
      for (let bit = 0; bit < 8; bit++) double(point);
    }
    toAffine(GROUPS, distance, COMB_WINDOWS);
    // Four windows a group from here on, one a lane.
    const table = GROUPS + (COMB_WINDOWS + 1) * distance;
    const stride = (COMB_MULTIPLES + 7) * POINT;
    const bytes = new Uint8Array(32);
    for (let window = 0; window < COMB_WINDOWS; window++) {
      for (const part of [0, ELEMENT]) {
        elements.take(GROUPS + window * distance + part, 0, bytes, 0);
        elements.put(table + (window >> 2) * stride + part, window & 3, bytes);
      }
    }
    const sums = oddMultiples(COMB_MULTIPLES, 0, POINT, COMB_MULTIPLES * POINT);
    for (const [list, length] of this.#space.keepLists(sums))
      addPoints(list, length, table, stride, COMB_WINDOWS / 4);
    for (let window = 0; window < COMB_WINDOWS; window++) {
      const from = (table + (window >> 2) * stride) / 4 + (window & 3);
      const to = (layout.COMB + window * COMB_MULTIPLES * layout.COMB_POINT) / 4;
      for (let k = 0; k < COMB_MULTIPLES * 20; k++) words[to + k] = words[from + 4 * k] as number;
    }
  }
}

let shared: BatchRecovery | undefined;

/** The instance of this thread, created on first use: 3 MB, and some milliseconds for code and tables. */
export function sharedBatches(): BatchRecovery {
  shared ??= new BatchRecovery();
  return shared;
}

function tableSums(): Sum[][] {
  return oddMultiples(layout.MULTIPLES, layout.TABLE, layout.TABLE_POINT, layout.DOUBLES);
}

function windowSums(): Sum[] {
  return range(layout.WINDOWS).map((window) => {
    const point = layout.WINDOW_POINTS + 2 * window * POINT;
    return [point, point, point + POINT];
  });
}
