/** Sums on the curve y² = x³ + 7. What is said of limbs: those of a product count 1, and a product takes up to 5. */

import { op } from "../../wasm/code.ts";
import { behind, fixed, type LanePlace, type LaneWriter, pointedAt } from "./lane-writer.ts";
import { ELEMENT, ONE, POINT, TEMPORARIES, WINDOW_BITS, WINDOWS } from "./layout.ts";

const temporary = (index: number): LanePlace => fixed(TEMPORARIES + index * ELEMENT);
const [T0, T1, T2, T3, T4, T5, T6, T7] = [0, 1, 2, 3, 4, 5, 6, 7].map(temporary) as [
  LanePlace,
  LanePlace,
  LanePlace,
  LanePlace,
  LanePlace,
  LanePlace,
  LanePlace,
  LanePlace,
];
const y = (point: LanePlace): LanePlace => behind(point, ELEMENT);
const z = (point: LanePlace): LanePlace => behind(point, 2 * ELEMENT);

/**
 * Doubles a point in Jacobian coordinates (x/z², y/z³) in place: with m = 3x², b = 2y², s = 2xb it is (m² - 2s, m(s - x') - 2b²,
 * 2yz). A point whose z is 0 keeps it.
 */
export function double(f: LaneWriter): void {
  const p = pointedAt(0);
  const [twice, b, m, s] = [T0, T1, T2, T3];
  f.sum(twice, [3, p]).square(m, p, twice);
  f.sum(twice, [2, y(p)])
    .square(b, y(p), twice)
    .multiply(z(p), twice, z(p));
  f.sum(twice, [2, p]).multiply(s, twice, b);
  f.sum(twice, [-2, s]).invoke("squareColumns", m, m).invoke("reducePlus", p, twice);
  f.sum(s, [1, s], [-1, p]).sum(twice, [-2, b]);
  f.invoke("multiplyColumns", m, s).invoke("addSquareColumns", b, twice).invoke("reduce", y(p));
}

/**
 * Adds a point (x, y), the second parameter, to one in Jacobian coordinates, in place. Where both are the same or opposite, or z
 * was 0, the result's z is 0, whatever their sum; so one look at the end finds every sum that went wrong.
 */
export function addTo(f: LaneWriter): void {
  const [p, q] = [pointedAt(0), pointedAt(1)];
  const [h, r, hh, hhh, v, t] = [T0, T1, T2, T3, T4, T5];
  f.square(t, z(p)).multiply(h, q, t).multiply(t, z(p), t).multiply(r, y(q), t);
  f.sum(h, [1, h], [-1, p]).sum(r, [1, r], [-1, y(p)]);
  f.multiply(z(p), z(p), h).square(hh, h).multiply(hhh, h, hh).multiply(v, p, hh);
  f.sum(t, [-2, v], [-1, hhh]).invoke("squareColumns", r, r).invoke("reducePlus", p, t);
  f.sum(v, [1, v], [-1, p]).sum(t, [-1, y(p)]);
  f.invoke("multiplyColumns", r, v).invoke("addMultiplyColumns", t, hhh).invoke("reduce", y(p));
}

/** Writes what has to be inverted for the sum of two points: x' - x, or 2y where they are the same place. Parameters: result, points. */
export function slopeDenominator(f: LaneWriter): void {
  const [to, a, b] = [pointedAt(0), pointedAt(1), pointedAt(2)];
  samePlace(f);
  f.sum(to, [2, y(a)]).else();
  f.sum(to, [1, b], [-1, a]).end();
}

/** Writes the sum of two points, or twice the point where they are the same place. Parameters: result, points, the inverse. */
export function addWithInverse(f: LaneWriter): void {
  const [to, a, b, inverse] = [pointedAt(0), pointedAt(1), pointedAt(2), pointedAt(3)];
  const [slope, sum, result] = [T6, T7, T0];
  samePlace(f);
  f.sum(sum, [3, a]).square(slope, a, sum).else();
  f.sum(slope, [1, y(b)], [-1, y(a)]).end();
  f.multiply(slope, slope, inverse);
  f.sum(sum, [-1, a], [-1, b]).invoke("squareColumns", slope, slope).invoke("reducePlus", result, sum);
  f.sum(sum, [1, a], [-1, result])
    .sum(T1, [-1, y(a)])
    .copy(to, result, ELEMENT / 16);
  f.invoke("multiplyColumns", slope, sum).invoke("reducePlus", y(to), T1);
}

function samePlace(f: LaneWriter): void {
  f.get(1).get(2).raw(op.i32Equal).if();
}

/**
 * Sums a group's windows, the most significant last in memory, doubling between them, and adds a last point. Parameters: result, windows,
 * last point.
 */
export function ladder(f: LaneWriter): void {
  const [to, last] = [pointedAt(0), pointedAt(2)];
  const [window, rest, count] = [f.integer(), f.integer(), f.integer()];
  f.pointer(pointedAt(1, 2 * POINT * (WINDOWS - 1))).set(window);
  f.copy(to, pointedAt(window), POINT / 16).copy(z(to), fixed(ONE), ELEMENT / 16);
  f.i32(WINDOWS - 1).set(rest);
  f.repeat(rest, () => {
    f.i32(WINDOW_BITS).set(count);
    f.repeat(count, () => f.invoke("double", to));
    f.advance(window, -2 * POINT).invoke("addTo", to, pointedAt(window));
  });
  f.invoke("addTo", to, last);
}
