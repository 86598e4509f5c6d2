/**
 * From columns to limbs. p = 2^256 - 2^32 - 977, so that 2^260 counts 2^36 + 15,632: what a limb j ≥ 20 counts, 15,632 times the
 * limb j - 20 and 2^10 times the limb j - 18 count too.
 */

import { vector128 } from "../../wasm/code.ts";
import { fixed, type LaneWriter, LOW_AND_HIGH, pointedAt } from "./lane-writer.ts";
import { COLUMNS, ELEMENT_VECTORS, LIMB_BITS, LIMBS, ZERO_LANES } from "./layout.ts";

const MASK = (1 << LIMB_BITS) - 1;
/** Limbs are kept between -HALF and HALF, so that sums and differences of some stay small. */
const HALF = 1 << (LIMB_BITS - 1);
const FOLD_LOW = 15_632;
const FOLD_BITS = 10;
const RESULT = pointedAt(0);
const ADDEND = pointedAt(1);

/**
 * Writes the element that the columns make up, and with `plus` what is added to it: an element whose limbs are below 2^15. Limbs of
 * the result are between -4,097 and 4,096. Columns may be as large as five times 2^24 times 20.
 */
export function reduce(f: LaneWriter, plus: boolean): void {
  const [carry, highCarry] = [f.vector(), f.vector()];
  const high: number[] = [];
  const low: number[] = [];
  for (let j = 0; j < LIMBS; j++) {
    high.push(f.vector());
    const own = high[j] as number;
    if (j === LIMBS - 1) f.get(highCarry).set(own);
    else {
      f.load(fixed(COLUMNS), LIMBS + j);
      if (j > 0) f.get(highCarry).lanes(vector128.i32x4Add);
      split(f, own, highCarry);
    }
    f.load(fixed(COLUMNS), j);
    // HALF for each limb of two, so that a digit's lowest value becomes 0; `packLimbs` takes it back.
    if (j % 2 === 0) f.fill(HALF + (HALF << LIMB_BITS)).lanes(vector128.i32x4Add);
    if (plus) addLimb(f, j);
    fold(f, own, j >= 2 ? high[j - 2] : undefined, j < LIMBS - 1);
    if (j > 0) f.get(carry).lanes(vector128.i32x4Add);
    low.push(f.vector());
    split(f, low[j] as number, carry);
    if (j > 8 && j % 2 === 1) packLimbs(f, low, j >> 1);
  }
  foldTop(f, low, carry, high[LIMBS - 2] as number, high[LIMBS - 1] as number);
  for (let k = 0; k < 4; k++) packLimbs(f, low, k);
}

/** Pops a number into a limb of 13 bits and what is carried on. */
function split(f: LaneWriter, limb: number, carry: number): void {
  f.tee(limb).i32(LIMB_BITS).lanes(vector128.i32x4ShiftRightSigned).set(carry);
  f.get(limb).fill(MASK).lanes(vector128.and).set(limb);
}

/** Adds to the number on the stack what a high limb and the one two before it count there. */
function fold(f: LaneWriter, limb: number, second: number | undefined, isDigit: boolean): void {
  if (second === undefined || !isDigit) {
    f.get(limb).pairs(FOLD_LOW, 0).lanes(vector128.i32x4Dot).lanes(vector128.i32x4Add);
    if (second !== undefined)
      f.get(second).i32(FOLD_BITS).lanes(vector128.i32x4ShiftLeft).lanes(vector128.i32x4Add);
    return;
  }
  f.get(limb).get(second).i32(16).lanes(vector128.i32x4ShiftLeft).lanes(vector128.or);
  f.pairs(FOLD_LOW, 1 << FOLD_BITS)
    .lanes(vector128.i32x4Dot)
    .lanes(vector128.i32x4Add);
}

/** Adds limb j of the addend to the number on the stack. */
function addLimb(f: LaneWriter, j: number): void {
  f.load(ADDEND, j >> 1);
  if (j % 2 === 0) f.pairs(1, 0).lanes(vector128.i32x4Dot);
  else f.i32(16).lanes(vector128.i32x4ShiftRightSigned);
  f.lanes(vector128.i32x4Add);
}

/** Folds what goes beyond limb 19 the second time: the last carry, and 2^10 times the two highest limbs. */
function foldTop(f: LaneWriter, low: number[], carry: number, last: number, top: number): void {
  const [first, second, third] = [f.vector(), f.vector(), f.vector()];
  f.get(last).i32(FOLD_BITS).lanes(vector128.i32x4ShiftLeft).get(carry).lanes(vector128.i32x4Add);
  split(f, first, carry);
  f.get(top).i32(FOLD_BITS).lanes(vector128.i32x4ShiftLeft).get(carry).lanes(vector128.i32x4Add);
  split(f, second, third);
  const digits = [first, second, third];
  for (let j = 0; j < 6; j++) {
    const limb = low[j] as number;
    f.get(limb);
    if (j < 3) fold(f, digits[j] as number, digits[j - 2], j < 2);
    else if (j < 5) {
      f.get(digits[j - 2] as number).i32(FOLD_BITS);
      f.lanes(vector128.i32x4ShiftLeft).lanes(vector128.i32x4Add);
    }
    if (j > 0) f.get(carry).lanes(vector128.i32x4Add);
    split(f, limb, carry);
  }
  f.get(low[6] as number)
    .get(carry)
    .lanes(vector128.i32x4Add)
    .set(low[6] as number);
}

/** Two limbs, above 0 by HALF, in one lane. Limb 6 has taken a carry and may be -1. */
function packLimbs(f: LaneWriter, low: readonly number[], k: number): void {
  const pair = f.vector();
  f.get(low[2 * k] as number).get(low[2 * k + 1] as number);
  f.i32(16).lanes(vector128.i32x4ShiftLeft);
  f.lanes(vector128.shuffle).raw(...LOW_AND_HIGH);
  f.pairs(HALF, HALF).lanes(vector128.i16x8Sub).set(pair).save(RESULT, k, pair);
  f.release(pair);
}

/**
 * Writes the element with each number between 0 and p and all limbs between 0 and 2^13, and which lanes are 0. Takes
 * elements whose limbs are below 2^14.
 */
export function canonical(f: LaneWriter): void {
  const source = pointedAt(1);
  const limbs = Array.from({ length: LIMBS }, () => f.vector());
  const limb = (j: number): number => limbs[j] as number;
  for (let j = 0; j < LIMBS; j++) {
    f.load(source, j >> 1);
    if (j % 2 === 0) f.i32(16).lanes(vector128.i32x4ShiftLeft);
    f.i32(16).lanes(vector128.i32x4ShiftRightSigned).set(limb(j));
  }
  const [carry, excess] = [f.vector(), f.vector()];
  const add = (j: number, value: number): void => {
    f.get(limb(j)).fill(value).lanes(vector128.i32x4Add).set(limb(j));
  };
  // 64·p, which makes every number positive.
  add(0, -64 * 977);
  add(2, -(64 << 6));
  add(LIMBS - 1, 1 << 15);
  for (let round = 0; round < 2; round++) {
    carryThrough(f, limbs, carry);
    takeExcess(f, limb(LIMBS - 1), excess);
    addExcess(f, limbs, excess);
  }
  // At or above p, and only then, adding 2^32 + 977 reaches 2^256.
  carryThrough(f, limbs, carry);
  wouldExceed(f, limbs, carry, excess);
  addExcess(f, limbs, excess);
  carryThrough(f, limbs, carry);
  takeExcess(f, limb(LIMBS - 1), excess);
  packCanonical(f, limbs, carry);
  f.release(carry, excess, ...limbs);
}

function carryThrough(f: LaneWriter, limbs: readonly number[], carry: number): void {
  for (let j = 0; j < LIMBS; j++) {
    f.get(limbs[j] as number);
    if (j > 0) f.get(carry).lanes(vector128.i32x4Add);
    if (j < LIMBS - 1) split(f, limbs[j] as number, carry);
    else f.set(limbs[j] as number);
  }
}

/** Takes what lies above 2^256 from the highest limb, whose 9 lowest bits lie below. */
function takeExcess(f: LaneWriter, highest: number, excess: number): void {
  f.get(highest).i32(9).lanes(vector128.i32x4ShiftRightSigned).set(excess);
  f.get(highest).fill(511).lanes(vector128.and).set(highest);
}

/** Adds 2^32 + 977 times the excess; a number below 2^13. */
function addExcess(f: LaneWriter, limbs: readonly number[], excess: number): void {
  const [first, third] = [limbs[0] as number, limbs[2] as number];
  f.get(first).get(excess).pairs(977, 0).lanes(vector128.i32x4Dot).lanes(vector128.i32x4Add).set(first);
  f.get(third).get(excess).i32(6).lanes(vector128.i32x4ShiftLeft).lanes(vector128.i32x4Add).set(third);
}

/** 1 where the number plus 2^32 + 977 is 2^256 or more. */
function wouldExceed(f: LaneWriter, limbs: readonly number[], carry: number, excess: number): void {
  for (let j = 0; j < LIMBS; j++) {
    f.get(limbs[j] as number);
    if (j === 0) f.fill(977).lanes(vector128.i32x4Add);
    if (j === 2) f.fill(64).lanes(vector128.i32x4Add);
    if (j > 0) f.get(carry).lanes(vector128.i32x4Add);
    f.i32(j < LIMBS - 1 ? LIMB_BITS : 9).lanes(vector128.i32x4ShiftRightSigned);
    f.set(j < LIMBS - 1 ? carry : excess);
  }
}

function packCanonical(f: LaneWriter, limbs: readonly number[], any: number): void {
  const pair = f.vector();
  f.fill(0).set(any);
  for (let k = 0; k < ELEMENT_VECTORS; k++) {
    f.get(limbs[2 * k + 1] as number)
      .i32(16)
      .lanes(vector128.i32x4ShiftLeft);
    f.get(limbs[2 * k] as number)
      .lanes(vector128.or)
      .set(pair);
    f.save(RESULT, k, pair);
    f.get(any).get(pair).lanes(vector128.or).set(any);
  }
  f.get(any).fill(0).lanes(vector128.i32x4Equal).set(any).save(fixed(ZERO_LANES), 0, any);
  f.release(pair);
}
