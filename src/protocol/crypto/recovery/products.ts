/**
 * Products before they are reduced. The multiply-add of 16-bit pairs adds two products of limbs at once, so that one
 * instruction does eight: column c, the sum of the products a_i·b_j with i + j = c, takes the pairs (a_2k, a_2k+1) as they lie, and
 * those of b swapped (b_2m+1, b_2m) for an odd c, shifted by one limb (b_2m, b_2m-1) for an even one.
 *
 * The order is chosen for V8, which does not order what is not a load or store: half of the first factor stays in registers, the pairs
 * of the second come one after the other, and each column is stored as soon as it has its sum.
 */

import { vector128 } from "../../wasm/code.ts";
import { fixed, type LanePlace, type LaneWriter, LOW_AND_HIGH, pointedAt } from "./lane-writer.ts";
import { COLUMNS, ELEMENT_VECTORS, SHIFTED, SWAPPED } from "./layout.ts";

/** Parameters: the two factors. */
const A = pointedAt(0);
const B = pointedAt(1);

/** For each of the four lanes: its halves swapped. */
const SWAP = [0, 4, 8, 12].flatMap((at) => [at + 2, at + 3, at, at + 1]);

/** Halves of the first factor, by its vectors. */
const BLOCKS = [0, ELEMENT_VECTORS / 2].map((first) =>
  Array.from({ length: ELEMENT_VECTORS / 2 }, (_, i) => first + i),
);

/** Writes the columns of a product, or adds it to those that are there. */
export function multiplyColumns(f: LaneWriter, more: boolean): void {
  pairSecondFactor(f);
  writeColumns(f, more, { first: 0, load: (k) => f.load(A, k), left: (_k, _m, own) => f.get(own) });
}

/**
 * As `multiplyColumns` for a second factor that is a multiple of the first: a product of two different limbs occurs twice, and is
 * made once with twice the limb.
 */
export function squareColumns(f: LaneWriter, more: boolean): void {
  pairSecondFactor(f);
  const twice = (k: number): LaneWriter => f.load(A, k).i32(1).lanes(vector128.i16x8ShiftLeft);
  const left = (k: number, m: number, own: number, odd: boolean): LaneWriter => {
    if (k === m) return odd ? f.load(A, k) : f.load(A, k).fill(0xffff).lanes(vector128.and);
    if (k < m - 1 || odd) return f.get(own);
    return f
      .get(own)
      .load(A, k)
      .lanes(vector128.shuffle)
      .raw(...LOW_AND_HIGH);
  };
  writeColumns(f, more, { first: 1, load: twice, left });
}

/** Writes both pairings of the second factor. */
function pairSecondFactor(f: LaneWriter): void {
  const [own, previous, pair] = [f.vector(), f.vector(), f.vector()];
  for (let m = 0; m < ELEMENT_VECTORS; m++) {
    f.load(B, m).set(own);
    f.get(own)
      .get(own)
      .lanes(vector128.shuffle)
      .raw(...SWAP)
      .set(pair);
    f.save(fixed(SWAPPED), m, pair);
    if (m === 0) f.get(own).fill(0xffff).lanes(vector128.and).set(pair);
    else
      f.get(own)
        .get(previous)
        .lanes(vector128.shuffle)
        .raw(...LOW_AND_HIGH)
        .set(pair);
    f.save(fixed(SHIFTED), m, pair).get(own).set(previous);
  }
  f.get(previous).fill(-65_536).lanes(vector128.and).set(pair);
  f.save(fixed(SHIFTED), ELEMENT_VECTORS, pair);
  f.release(own, previous, pair);
}

interface Factors {
  /** 1: vector k of the first factor meets vectors m ≥ k of the second; 0: all. */
  readonly first: 0 | 1;
  /** Pushes what stays in a register for vector k of the first factor. */
  readonly load: (k: number) => LaneWriter;
  /** Pushes the first factor's part of the product of vectors k and m. */
  readonly left: (k: number, m: number, own: number, odd: boolean) => LaneWriter;
}

function writeColumns(f: LaneWriter, more: boolean, factors: Factors): void {
  const written = new Set<number>();
  if (more) for (let column = 0; column < 39; column++) written.add(column);
  for (const block of BLOCKS) {
    for (const odd of [false, true]) writeHalf(f, block, odd, written, factors);
  }
}

/** Writes the columns of one parity, as far as half of the first factor gives to them. */
function writeHalf(
  f: LaneWriter,
  block: readonly number[],
  odd: boolean,
  written: Set<number>,
  { first, load, left }: Factors,
): void {
  const pairs: LanePlace = fixed(odd ? SWAPPED : SHIFTED);
  const last = odd ? ELEMENT_VECTORS - 1 : ELEMENT_VECTORS;
  const own = new Map<number, number>();
  const second = new Map<number, number>();
  const sum = f.vector();
  for (const k of block) {
    own.set(k, f.vector());
    load(k).set(own.get(k) as number);
  }
  const meets = (k: number, m: number): boolean => m >= (first === 1 ? k : 0) && m <= last;
  for (let row = 0; row < 2 * ELEMENT_VECTORS; row++) {
    const terms = block.filter((k) => meets(k, row - k));
    if (terms.length === 0) continue;
    for (const k of terms) {
      if (second.has(row - k)) continue;
      second.set(row - k, f.vector());
      f.load(pairs, row - k).set(second.get(row - k) as number);
    }
    const column = 2 * row + (odd ? 1 : 0);
    const isHeld = written.has(column);
    if (isHeld) f.load(fixed(COLUMNS), column);
    for (const [i, k] of terms.entries()) {
      left(k, row - k, own.get(k) as number, odd).get(second.get(row - k) as number);
      f.lanes(vector128.i32x4Dot);
      if (i > 0) f.lanes(vector128.i32x4Add);
    }
    if (isHeld) f.lanes(vector128.i32x4Add);
    f.set(sum).save(fixed(COLUMNS), column, sum);
    written.add(column);
    for (const [m, vector] of second) {
      if (block.some((k) => k + m > row && meets(k, m))) continue;
      f.release(vector);
      second.delete(m);
    }
  }
  f.release(sum, ...own.values());
}
