/** What is done for one group: its points R, their multiples, and the points that its windows name. */

import { leb, op, vector128 } from "../../wasm/code.ts";
import { replaceLanes } from "./batches.ts";
import { fixed, type LanePlace, type LaneWriter, pointedAt } from "./lane-writer.ts";
import {
  BASE_POINT,
  BETA,
  COMB,
  COMB_MULTIPLES,
  COMB_POINT,
  COMB_POINTS,
  COMB_WINDOWS,
  ELEMENT,
  ELEMENT_VECTORS,
  HALF_SCALAR,
  IS_POINT,
  KEY_TABLES,
  MULTIPLES,
  NEGATED_LANES,
  ON_CURVE,
  PARITY,
  POINT,
  SCALAR_ROW,
  SCALARS,
  SEVEN,
  TABLE,
  TABLE_POINT,
  TEMPORARIES,
  WINDOW_BITS,
  WINDOW_POINTS,
  WINDOWS,
  ZERO_LANES,
} from "./layout.ts";

const LANES = [0, 1, 2, 3] as const;
const [SQUARE, CUBE] = [8, 9].map((i) => fixed(TEMPORARIES + i * ELEMENT)) as [LanePlace, LanePlace];

/**
 * Finds y of each x in a group's table, of the parity asked for. Where there is none, the base point takes its place, so that no point
 * lies on another curve, whose order could be anything. Parameter: the group.
 */
export function lift(f: LaneWriter): void {
  const [x, y] = [pointedAt(0, TABLE), pointedAt(0, TABLE + ELEMENT)];
  cubePlusSeven(f, x);
  f.invoke("squareRoot", y, CUBE);
  compareSquare(f, y);
  f.copy(pointedAt(0, IS_POINT), fixed(ZERO_LANES), 1);
  const mask = f.vector();
  f.load(fixed(ZERO_LANES)).fill(-1).lanes(vector128.xor).set(mask).save(fixed(ZERO_LANES), 0, mask);
  replaceLanes(f, x, fixed(BASE_POINT), POINT / 16);
  f.invoke("canonical", SQUARE, y);
  f.fill(0).load(SQUARE).load(pointedAt(0, PARITY)).lanes(vector128.xor).fill(1).lanes(vector128.and);
  f.lanes(vector128.i32x4Sub).set(mask);
  const limbs = f.vector();
  for (let k = 0; k < ELEMENT_VECTORS; k++) negate(f.load(y, k), mask).set(limbs).save(y, k, limbs);
  f.release(mask, limbs);
}

/**
 * Writes in which lanes a result lies on the curve. No sum of points needs the curve's 7: what a fault leaves is a point of another curve,
 * and stays one. Parameter: the result.
 */
export function markOnCurve(f: LaneWriter): void {
  cubePlusSeven(f, pointedAt(0));
  compareSquare(f, pointedAt(0, ELEMENT));
  f.copy(pointedAt(0, ON_CURVE), fixed(ZERO_LANES), 1);
}

function cubePlusSeven(f: LaneWriter, x: LanePlace): void {
  f.square(SQUARE, x).multiply(CUBE, SQUARE, x);
  f.sum(CUBE, [1, CUBE], [1, fixed(SEVEN)]);
}

/** Sets the lanes in which y² is x³ + 7. */
function compareSquare(f: LaneWriter, y: LanePlace): void {
  f.square(SQUARE, y).sum(SQUARE, [1, SQUARE], [-1, CUBE]);
  f.invoke("canonical", SQUARE, SQUARE);
}

/** Writes β·x behind each multiple of a group's points. Parameter: the group. */
export function turnMultiples(f: LaneWriter): void {
  const [left, entry] = [f.integer(), f.integer()];
  f.i32(MULTIPLES).set(left).get(0).set(entry);
  f.repeat(left, () => {
    f.multiply(pointedAt(entry, TABLE + POINT), pointedAt(entry, TABLE), fixed(BETA));
    f.advance(entry, TABLE_POINT);
  });
}

/** Where the parts of a point lie, and how far apart its vectors' lanes. */
interface Source {
  readonly x: number;
  readonly y: number;
  readonly step: number;
}

const OWN: Source = { x: 0, y: ELEMENT, step: 16 };
const TURNED: Source = { x: POINT, y: ELEMENT, step: 16 };
const TABLED: Source = { x: 0, y: COMB_POINT / 2, step: 4 };

/** Writes the points that a group's windows of 5 bits name, from bit 1 on: two a window, of R and of its turn. Parameter: the group. */
export function gatherWindows(f: LaneWriter): void {
  const [left, bit, to] = [f.integer(), f.integer(), f.integer()];
  const digit = f.integer();
  const sources = LANES.map(() => f.integer());
  f.i32(WINDOWS).set(left).i32(1).set(bit).pointer(pointedAt(0, WINDOW_POINTS)).set(to);
  f.repeat(left, () => {
    for (const half of [0, 1]) {
      for (const lane of LANES) {
        windowDigit(f, bit, half, lane).set(digit);
        multipleOf(f, digit, WINDOW_BITS, lane);
        f.i32(TABLE_POINT).raw(op.i32Multiply).get(0).raw(op.i32Add);
        f.i32(TABLE + 4 * lane)
          .raw(op.i32Add)
          .set(sources[lane] as number);
      }
      gather(f, pointedAt(to, half * POINT), sources, half === 0 ? OWN : TURNED);
    }
    f.advance(bit, WINDOW_BITS).advance(to, 2 * POINT);
  });
}

/** As `gatherWindows`, from the tables of known keys, each of which has multiples for every window. Parameter: the group. */
export function gatherKnown(f: LaneWriter): void {
  const [left, bit, to, window] = [f.integer(), f.integer(), f.integer(), f.integer()];
  const digit = f.integer();
  const sources = LANES.map(() => f.integer());
  f.i32(WINDOWS).set(left).i32(1).set(bit).pointer(pointedAt(0, WINDOW_POINTS)).set(to).i32(0).set(window);
  f.repeat(left, () => {
    for (const half of [0, 1]) {
      for (const lane of LANES) {
        windowDigit(f, bit, half, lane).set(digit);
        multipleOf(f, digit, WINDOW_BITS, lane);
        f.i32(COMB_POINT).raw(op.i32Multiply).get(window).raw(op.i32Add);
        f.get(0)
          .load32(KEY_TABLES + 4 * lane)
          .raw(op.i32Add)
          .set(sources[lane] as number);
      }
      gather(f, pointedAt(to, half * POINT), sources, TABLED);
    }
    f.multiply(pointedAt(to, POINT), pointedAt(to, POINT), fixed(BETA));
    f.advance(bit, WINDOW_BITS)
      .advance(to, 2 * POINT)
      .advance(window, MULTIPLES * COMB_POINT);
  });
}

/** Pushes the 5 bits of a half scalar from a bit on. */
function windowDigit(f: LaneWriter, bit: number, half: number, lane: number): LaneWriter {
  f.get(0).get(bit).i32(3).raw(op.i32ShiftRightUnsigned, op.i32Add);
  f.load16(SCALARS + lane * SCALAR_ROW + half * HALF_SCALAR);
  return f.get(bit).i32(7).raw(op.i32And, op.i32ShiftRightUnsigned).i32(31).raw(op.i32And);
}

/** Writes the points of the base point's table that a group's bytes name. Parameter: the group. */
export function gatherComb(f: LaneWriter): void {
  const [left, row, table, to] = [f.integer(), f.integer(), f.integer(), f.integer()];
  const digit = f.integer();
  const sources = LANES.map(() => f.integer());
  f.i32(COMB_WINDOWS).set(left).i32(COMB).set(table).get(0).set(row);
  f.pointer(pointedAt(0, COMB_POINTS)).set(to);
  f.repeat(left, () => {
    for (const lane of LANES) {
      f.get(row)
        .load8(SCALARS + lane * SCALAR_ROW + 2 * HALF_SCALAR)
        .set(digit);
      multipleOf(f, digit, 8, lane);
      f.i32(COMB_POINT)
        .raw(op.i32Multiply)
        .get(table)
        .raw(op.i32Add)
        .set(sources[lane] as number);
    }
    gather(f, pointedAt(to), sources, TABLED);
    f.advance(row, 1)
      .advance(to, POINT)
      .advance(table, COMB_MULTIPLES * COMB_POINT);
  });
}

/** Pushes which odd multiple a digit d names, of the value 2d + 1 - 2^bits, and notes whether it is to be negated. */
function multipleOf(f: LaneWriter, digit: number, bits: number, lane: number): void {
  const mask = (): LaneWriter =>
    f
      .get(digit)
      .i32(bits - 1)
      .raw(op.i32ShiftRightUnsigned)
      .i32(1)
      .raw(op.i32Sub);
  f.i32(NEGATED_LANES + 4 * lane);
  mask().store32(0).get(digit);
  mask()
    .raw(op.i32Xor)
    .i32((1 << (bits - 1)) - 1)
    .raw(op.i32And);
}

/** Puts a point together, each lane from a place of its own. */
function gather(f: LaneWriter, to: LanePlace, sources: readonly number[], { x, y, step }: Source): void {
  const [value, mask] = [f.vector(), f.vector()];
  f.load(fixed(NEGATED_LANES)).set(mask);
  for (let k = 0; k < 2 * ELEMENT_VECTORS; k++) {
    const isY = k >= ELEMENT_VECTORS;
    const offset = isY ? y + (k - ELEMENT_VECTORS) * step : x + k * step;
    for (const lane of [3, 2, 1, 0]) f.get(sources[lane] as number);
    f.lanes(vector128.load32Zero).raw(2, ...leb(offset));
    for (const lane of [1, 2, 3]) f.lanes(vector128.load32Lane).raw(2, ...leb(offset), lane);
    if (isY) negate(f, mask);
    f.set(value).save(to, k, value);
  }
  f.release(value, mask);
}

/** Negates the limbs on the stack where the mask has all bits set. */
function negate(f: LaneWriter, mask: number): LaneWriter {
  return f.get(mask).lanes(vector128.xor).get(mask).lanes(vector128.i16x8Sub);
}
