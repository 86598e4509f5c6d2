/** What is done for many groups at once, so that they share one inversion: the inverse of the product of all denominators. */

import { op, vector128 } from "../../wasm/code.ts";
import { fixed, type LanePlace, type LaneWriter, pointedAt } from "./lane-writer.ts";
import {
  ELEMENT,
  ELEMENT_VECTORS,
  INFINITE,
  INVERSE,
  ONE,
  PREFIXES,
  PRODUCT,
  TEMPORARIES,
  ZERO_LANES,
} from "./layout.ts";

const PRODUCT_SO_FAR = fixed(PRODUCT);
const INVERSE_LEFT = fixed(INVERSE);
const [FACTOR, INVERTED, SQUARED, SCALED] = [8, 9, 10, 11].map((i) => fixed(TEMPORARIES + i * ELEMENT)) as [
  LanePlace,
  LanePlace,
  LanePlace,
  LanePlace,
];

/** Bytes of an entry in a list of sums: offsets of the result and both points in a group. */
export const SUM_ENTRY = 12;

/** The variables of a walk over groups. */
interface Walk {
  readonly base: number;
  readonly stride: number;
  readonly groups: number;
}

/**
 * Adds points of each group. No sum may be of opposite points; a point is doubled where both are one place, and never equal to another.
 * Parameters: list of sums, their number, address of the first group, distance of two, number of groups.
 */
export function addPoints(f: LaneWriter): void {
  const walk: Walk = { base: 2, stride: 3, groups: 4 };
  const [entry, left] = [f.integer(), f.integer()];
  const [to, a, b] = [f.integer(), f.integer(), f.integer()];
  const point = (variable: number, offset: number, group: number): LaneWriter =>
    f.get(entry).load32(offset).get(group).raw(op.i32Add).set(variable);
  const read = (group: number): void => {
    point(to, 0, group);
    point(a, 4, group);
    point(b, 8, group);
    f.invoke("slopeDenominator", FACTOR, pointedAt(a), pointedAt(b));
  };
  shareInversion(f, walk, {
    forwards(group, multiply) {
      f.get(0).set(entry).get(1).set(left);
      f.repeat(left, () => {
        read(group);
        multiply(FACTOR);
        f.advance(entry, SUM_ENTRY);
      });
    },
    backwards(group, divide) {
      f.get(0).get(1).i32(SUM_ENTRY).raw(op.i32Multiply, op.i32Add).set(entry).get(1).set(left);
      f.repeat(left, () => {
        f.advance(entry, -SUM_ENTRY);
        read(group);
        divide(FACTOR);
        f.invoke("addWithInverse", pointedAt(to), pointedAt(a), pointedAt(b), INVERTED);
      });
    },
  });
}

/**
 * Turns a point of each group from (x/z², y/z³) into canonical x and y, and writes behind it in which lanes z was 0. Parameters: address
 * of the first point, distance of two, their number.
 */
export function toAffine(f: LaneWriter): void {
  shareInversion(
    f,
    { base: 0, stride: 1, groups: 2 },
    {
      forwards(point, multiply) {
        const z = pointedAt(point, 2 * ELEMENT);
        f.invoke("canonical", FACTOR, z);
        f.copy(pointedAt(point, INFINITE), fixed(ZERO_LANES), 1);
        replaceLanes(f, z, fixed(ONE), ELEMENT_VECTORS);
        multiply(z);
      },
      backwards(point, divide) {
        const [x, y, z] = [0, 1, 2].map((i) => pointedAt(point, i * ELEMENT)) as [
          LanePlace,
          LanePlace,
          LanePlace,
        ];
        divide(z);
        f.square(SQUARED, INVERTED).multiply(SCALED, x, SQUARED).invoke("canonical", x, SCALED);
        f.multiply(SQUARED, SQUARED, INVERTED).multiply(SCALED, y, SQUARED).invoke("canonical", y, SCALED);
      },
    },
  );
}

/** Puts vectors of `by` into the lanes that `canonical` last said to be 0. */
export function replaceLanes(f: LaneWriter, to: LanePlace, by: LanePlace, vectors: number): void {
  const value = f.vector();
  for (let k = 0; k < vectors; k++) {
    f.load(by, k).load(to, k).load(fixed(ZERO_LANES)).lanes(vector128.bitSelect).set(value);
    f.save(to, k, value);
  }
  f.release(value);
}

interface Steps {
  /** Finds the factors of a group, first to last. */
  readonly forwards: (group: number, multiply: (factor: LanePlace) => void) => void;
  /** Finds them again, last to first; `divide` leaves the inverse of the factor in `INVERTED`. */
  readonly backwards: (group: number, divide: (factor: LanePlace) => void) => void;
}

/** Montgomery's trick: three multiplications a factor, and one inversion for all. */
function shareInversion(f: LaneWriter, { base, stride, groups }: Walk, steps: Steps): void {
  const [group, left, prefix] = [f.integer(), f.integer(), f.integer()];
  f.copy(PRODUCT_SO_FAR, fixed(ONE), ELEMENT_VECTORS);
  f.get(base).set(group).get(groups).set(left).i32(PREFIXES).set(prefix);
  f.repeat(left, () => {
    steps.forwards(group, (factor) => {
      f.copy(pointedAt(prefix), PRODUCT_SO_FAR, ELEMENT_VECTORS).advance(prefix, ELEMENT);
      f.multiply(PRODUCT_SO_FAR, PRODUCT_SO_FAR, factor);
    });
    f.get(group).get(stride).raw(op.i32Add).set(group);
  });
  f.invoke("invert", INVERSE_LEFT, PRODUCT_SO_FAR);
  f.get(groups).set(left);
  f.repeat(left, () => {
    f.get(group).get(stride).raw(op.i32Sub).set(group);
    steps.backwards(group, (factor) => {
      f.advance(prefix, -ELEMENT).multiply(INVERTED, INVERSE_LEFT, pointedAt(prefix));
      f.multiply(INVERSE_LEFT, INVERSE_LEFT, factor);
    });
  });
}
