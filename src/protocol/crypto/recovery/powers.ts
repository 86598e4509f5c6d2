/**
 * Square roots and inverses as powers. Exponents (p+1)/4 and p-2 both begin with 223 ones in binary; x^(2^n - 1) for n ones is made by
 * the chain 2, 3, 6, 9, 11, 22, 44, 88, 176, 220, 223, as in other libraries of this curve.
 */

import { behind, fixed, type LanePlace, type LaneWriter, pointedAt } from "./lane-writer.ts";
import { ELEMENT, ELEMENT_VECTORS, POWERS } from "./layout.ts";

const POWER = fixed(POWERS);
const ONES_2 = fixed(POWERS + ELEMENT);
const ONES_3 = fixed(POWERS + 2 * ELEMENT);
const ONES_22 = fixed(POWERS + 3 * ELEMENT);
const ONES_44 = fixed(POWERS + 4 * ELEMENT);
const ONES_88 = fixed(POWERS + 5 * ELEMENT);
const ONES_11 = fixed(POWERS + 6 * ELEMENT);

/** Squares an element as often as the second parameter says, in place. */
export function squareOften(f: LaneWriter): void {
  const element = pointedAt(0);
  f.repeat(1, () => f.square(element, element));
}

/** Raises to the power of 223 ones, into the first of `POWERS`; leaves 2, 22 ones in places of theirs. */
export function power223(f: LaneWriter): void {
  const x = pointedAt(0);
  f.copy(POWER, x, ELEMENT_VECTORS);
  more(f, 1, x).copy(ONES_2, POWER, ELEMENT_VECTORS);
  more(f, 1, x).copy(ONES_3, POWER, ELEMENT_VECTORS);
  more(more(f, 3, ONES_3), 3, ONES_3);
  more(f, 2, ONES_2).copy(ONES_11, POWER, ELEMENT_VECTORS);
  more(f, 11, ONES_11).copy(ONES_22, POWER, ELEMENT_VECTORS);
  more(f, 22, ONES_22).copy(ONES_44, POWER, ELEMENT_VECTORS);
  more(f, 44, ONES_44).copy(ONES_88, POWER, ELEMENT_VECTORS);
  more(more(more(f, 88, ONES_88), 44, ONES_44), 3, ONES_3);
}

/** Writes a square root of an element, wherever it has one: its power of (p+1)/4. Parameters: result, element. */
export function squareRoot(f: LaneWriter): void {
  f.invoke("power223", pointedAt(1));
  more(more(f, 23, ONES_22), 6, ONES_2);
  square(f, 2).copy(pointedAt(0), POWER, ELEMENT_VECTORS);
}

/** Writes the inverse of an element, 0 of 0: its power of p-2. Parameters: result, element. */
export function invert(f: LaneWriter): void {
  const x = pointedAt(1);
  f.invoke("power223", x);
  more(more(more(more(f, 23, ONES_22), 5, x), 3, ONES_2), 2, x);
  f.copy(pointedAt(0), POWER, ELEMENT_VECTORS);
}

/** Squares the power so often and multiplies it: appends bits to the exponent. */
function more(f: LaneWriter, squarings: number, factor: LanePlace): LaneWriter {
  return square(f, squarings).multiply(POWER, POWER, factor);
}

function square(f: LaneWriter, times: number): LaneWriter {
  return f.pointer(behind(POWER, 0)).i32(times).invoke("squareOften");
}
