import { bigintToFixedBytes, bytesToBigint } from "../../primitives/bytes.ts";
import { compile, instantiate, type WasmMemory } from "../../wasm/web-assembly.ts";
import { CURVE_ORDER } from "../curve.ts";
import { SUM_ENTRY } from "./batches.ts";
import { Elements } from "./elements.ts";
import * as layout from "./layout.ts";
import { bytes as recoveryBytes } from "./recovery.wasm.ts";
import { invertAll, madeOdd, splitScalar } from "./scalars.ts";

/** A signature and the signed hash. */
export interface SignedHash {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** r and s, 32 bytes each. */
  readonly rs: Uint8Array;
  /** Bit 0: parity of R's y; bit 1: R's x is r + n. */
  readonly recid: number;
}

/** A key of 64 bytes (x and y); undefined if r or s is not a scalar; "unclear" if a library has to decide. */
export type Recovered = Uint8Array | undefined | "unclear";

interface Exports {
  readonly memory: WasmMemory;
  readonly lift: (group: number) => void;
  readonly turnMultiples: (group: number) => void;
  readonly gatherWindows: (group: number) => void;
  readonly gatherComb: (group: number) => void;
  readonly ladder: (to: number, windows: number, last: number) => void;
  readonly double: (point: number) => void;
  readonly addPoints: (list: number, length: number, base: number, stride: number, groups: number) => void;
  readonly toAffine: (base: number, stride: number, groups: number) => void;
  readonly markOnCurve: (result: number) => void;
}

const FIELD = 2n ** 256n - 2n ** 32n - 977n;
const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;
const BASE_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
const BASE_Y = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n;
const { COMB_MULTIPLES, COMB_WINDOWS, ELEMENT, GROUP, GROUPS, JACOBIAN, MAX_GROUPS, POINT } = layout;

/** An odd number k below 2^b plus 2^b - 1, of which half is read: digits d of w bits then count 2d + 1 - 2^w. */
const HALF_BIAS = 2n ** 130n - 1n;
const COMB_BIAS = 2n ** 256n - 1n;

/** Maximum signatures per run. */
export const MAX_SIGNATURES = 4 * MAX_GROUPS;

type Sum = readonly [to: number, a: number, b: number];

/** Recovers many public keys at once, four in the lanes of each vector; see decision 0029. */
export class BatchRecovery {
  readonly #wasm: Exports;
  readonly #elements: Elements;
  readonly #words: Int32Array;
  readonly #scalars: BigInt64Array;
  /** Lists of sums that share an inversion, one after the other: where, and how long. */
  readonly #rounds: readonly (readonly [list: number, length: number])[];
  readonly #windowSums: readonly [list: number, length: number];

  /** @param module - the bytes of the WebAssembly module */
  constructor(module = recoveryBytes()) {
    this.#wasm = instantiate<Exports>(compile(module));
    const { buffer } = this.#wasm.memory;
    this.#elements = new Elements(buffer);
    this.#words = new Int32Array(buffer);
    this.#scalars = new BigInt64Array(buffer);
    this.#fill(layout.ONE, 1n);
    this.#fill(layout.SEVEN, 7n);
    this.#fill(layout.BETA, BETA);
    this.#fill(layout.BASE_POINT, BASE_X);
    this.#fill(layout.BASE_POINT + ELEMENT, BASE_Y);
    this.#buildComb();
    const sums = [...combSums(), windowSums()];
    for (const [round, added] of tableSums().entries()) sums[round]?.push(...added);
    const lists = this.#writeLists(sums);
    this.#windowSums = lists.at(-1) as readonly [number, number];
    this.#rounds = lists.slice(0, -1);
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
    for (const [i, each] of possible.entries()) this.#place(i, each, inverses[i] as bigint);
    // Unused lanes repeat the last signature.
    for (let i = possible.length; i % 4 !== 0; i++) this.#repeatLane(GROUPS + (i >> 2) * GROUP, i & 3);
    this.#run(Math.ceil(possible.length / 4));
    for (const [i, { index, z }] of possible.entries()) {
      results[index] = z === 0n || z === CURVE_ORDER ? "unclear" : this.#result(i);
    }
    return results;
  }

  #run(groups: number): void {
    const { lift, turnMultiples, gatherWindows, gatherComb, ladder } = this.#wasm;
    const { addPoints, toAffine, markOnCurve } = this.#wasm;
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
    const group = GROUPS + (i >> 2) * GROUP;
    const lane = i & 3;
    const x = recid < 2 ? rs : bigintToFixedBytes(r + CURVE_ORDER, 32);
    this.#elements.put(group + layout.TABLE, lane, x);
    this.#words[(group + layout.PARITY) / 4 + lane] = recid & 1;
    const [k1, k2] = splitScalar((s * inverse) % CURVE_ORDER);
    // The windows of 0 would sum to the point at infinity, which has no place among the others.
    const u1 = (z * (CURVE_ORDER - inverse)) % CURVE_ORDER || 1n;
    const row = (group + layout.SCALARS + lane * layout.SCALAR_ROW) / 8;
    this.#wide(row, k1 + HALF_BIAS);
    this.#wide(row + 3, k2 + HALF_BIAS);
    const comb = (madeOdd(u1) + COMB_BIAS) >> 1n;
    this.#wide(row + 6, comb);
    this.#scalars[row + 9] = comb >> 192n;
  }

  /** Writes 192 bits. */
  #wide(at: number, value: bigint): void {
    this.#scalars[at] = value;
    this.#scalars[at + 1] = value >> 64n;
    this.#scalars[at + 2] = value >> 128n;
  }

  #repeatLane(group: number, lane: number): void {
    const words = this.#words;
    const x = (group + layout.TABLE) / 4;
    for (let k = 0; k < 10; k++) words[x + 4 * k + lane] = words[x + 4 * k + lane - 1] as number;
    const row = (group + layout.SCALARS + lane * layout.SCALAR_ROW) / 4;
    words.copyWithin(row, row - layout.SCALAR_ROW / 4, row);
    words[(group + layout.PARITY) / 4 + lane] = words[(group + layout.PARITY) / 4 + lane - 1] as number;
  }

  #result(i: number): Recovered {
    const group = GROUPS + (i >> 2) * GROUP;
    const lane = i & 3;
    const result = group + layout.RESULT;
    const isMarked = (place: number): boolean => this.#words[place / 4 + lane] !== 0;
    if (!isMarked(group + layout.IS_POINT) || isMarked(result + layout.INFINITE)) return "unclear";
    if (!isMarked(result + layout.ON_CURVE)) return "unclear";
    const key = new Uint8Array(64);
    this.#elements.take(result, lane, key, 0);
    this.#elements.take(result + ELEMENT, lane, key, 32);
    return key;
  }

  #fill(element: number, value: bigint): void {
    const bytes = bigintToFixedBytes(value, 32);
    for (let lane = 0; lane < 4; lane++) this.#elements.put(element, lane, bytes);
  }

  #writeLists(lists: readonly (readonly Sum[])[]): (readonly [number, number])[] {
    let at = layout.LISTS;
    return lists.map((sums) => {
      const list = at;
      this.#words.set(sums.flat(), list / 4);
      at += sums.length * SUM_ENTRY;
      return [list, sums.length] as const;
    });
  }

  /** Fills the table of the base point: for each window the odd multiples of its power of two. */
  #buildComb(): void {
    const { double, toAffine, addPoints } = this.#wasm;
    const words = this.#words;
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
        this.#elements.take(GROUPS + window * distance + part, 0, bytes, 0);
        this.#elements.put(table + (window >> 2) * stride + part, window & 3, bytes);
      }
    }
    for (const sums of oddMultiples(COMB_MULTIPLES, 0, POINT, COMB_MULTIPLES * POINT)) {
      const [[list, length] = [0, 0]] = this.#writeLists([sums]);
      addPoints(list, length, table, stride, COMB_WINDOWS / 4);
    }
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

/** A signature whose scalars are in range. */
interface Possible {
  readonly index: number;
  readonly signed: SignedHash;
  readonly r: bigint;
  readonly s: bigint;
  readonly z: bigint;
}

/** Undefined if r or s is not a scalar, or R's x is not below the field's order. */
function asNumbers(signed: SignedHash, index: number): Possible | undefined {
  const { hash, rs, recid } = signed;
  if (hash.length !== 32 || rs.length !== 64 || recid < 0 || recid > 3) return undefined;
  // Copies: a view of a short array moves its bytes out of V8's heap, ten times the cost.
  const r = bytesToBigint(rs.slice(0, 32));
  const s = bytesToBigint(rs.slice(32));
  if (r === 0n || r >= CURVE_ORDER || s === 0n || s >= CURVE_ORDER || (recid > 1 && r + CURVE_ORDER >= FIELD))
    return undefined;
  return { index, signed, r, s, z: bytesToBigint(hash) };
}

/** Rounds that make the odd multiples 1, 3, 5… of a point of those before and of doubles, which are kept apart. */
function oddMultiples(count: number, first: number, distance: number, doubles: number): Sum[][] {
  const multiple = (index: number): number => first + index * distance;
  const rounds: Sum[][] = [];
  for (let known = 1, round = 0; known <= count; known *= 2, round++) {
    const twice = doubles + round * POINT;
    const before = round === 0 ? first : twice - POINT;
    const sums: Sum[] =
      round > 0 ? range(known / 2).map((i) => [multiple(known / 2 + i), multiple(i), before]) : [];
    if (known < count) sums.push([twice, before, before]);
    rounds.push(sums);
  }
  return rounds;
}

function tableSums(): Sum[][] {
  return oddMultiples(layout.MULTIPLES, layout.TABLE, layout.TABLE_POINT, layout.DOUBLES);
}

/** Rounds that sum the windows of the base point, two neighbours at a time. */
function combSums(): Sum[][] {
  const point = (window: number): number => layout.COMB_POINTS + window * POINT;
  return [1, 2, 4, 8, 16].map((distance) =>
    range(COMB_WINDOWS / (2 * distance)).map((i): Sum => {
      const window = 2 * distance * i;
      return [point(window), point(window), point(window + distance)];
    }),
  );
}

function windowSums(): Sum[] {
  return range(layout.WINDOWS).map((window) => {
    const point = layout.WINDOW_POINTS + 2 * window * POINT;
    return [point, point, point + POINT];
  });
}

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
