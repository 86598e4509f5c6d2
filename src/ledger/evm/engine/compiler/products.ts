import { op } from "../../../../protocol/wasm/code.ts";
import { addLimbs, type BinaryOperation, folding } from "./arithmetic.ts";
import { INDEXES, type Limb, type Word, wordOf } from "./locals.ts";
import type { PartWriter } from "./part-writer.ts";

const LOW_HALF = 0xffff_ffffn;

/** a × b, inlined: products of limbs by columns. */
export const multiply: BinaryOperation = folding(
  (a, b) => a * b,
  (writer, a, b) => {
    const halves = new Halves(writer, [...a, ...b]);
    let carries: readonly Limb[] = [];
    const product = wordOf((column): Limb => {
      const upper = pairsOf(a, b, column - 1).map(([x, y], i) => halves.highProduct(x, y, carries[i]));
      const lower = pairsOf(a, b, column).map(([x, y]) => writer.binary(op.i64Mul, x, y));
      const terms = [...upper, ...lower, ...carries.slice(upper.length)];
      const [sum, carried] = addColumn(writer, terms, column < 3);
      carries = carried;
      return sum;
    });
    halves.release();
    return product;
  },
);

/** The pairs of limbs, neither known to be zero, whose product belongs to a column. */
function pairsOf(a: Word, b: Word, column: number): (readonly [Limb, Limb])[] {
  return INDEXES.filter((i) => i <= column)
    .map((i) => [a[i], b[column - i] as Limb] as const)
    .filter(([x, y]) => x !== 0n && y !== 0n);
}

/** The sum of limbs and its carries; releases the limbs. */
function addColumn(writer: PartWriter, limbs: readonly Limb[], wantsCarries: boolean): [Limb, Limb[]] {
  let [sum = 0n, ...others] = limbs;
  const carries: Limb[] = [];
  for (const limb of others) {
    const added = addLimbs(writer, sum, limb, 0n, wantsCarries);
    if (added.carry !== 0n) carries.push(added.carry);
    writer.locals.release(sum, limb);
    sum = added.limb;
  }
  return [sum, carries];
}

/** The 32-bit halves of limbs, each split once. */
class Halves {
  readonly #writer: PartWriter;
  readonly #known: Map<Limb, readonly [low: Limb, high: Limb]> = new Map();

  constructor(writer: PartWriter, limbs: readonly Limb[]) {
    this.#writer = writer;
    for (const limb of limbs)
      if (limb !== 0n && !this.#known.has(limb)) this.#known.set(limb, this.#split(limb));
  }

  #split(limb: Limb): readonly [Limb, Limb] {
    if (typeof limb === "bigint") return [limb & LOW_HALF, limb >> 32n];
    const low = this.#writer.binary(op.i64And, limb, LOW_HALF);
    return [low, this.#writer.binary(op.i64ShiftRightUnsigned, limb, 32n)];
  }

  /**
   * The upper 64 bits of a product, for which WebAssembly has no instruction, and a carry, which it releases: they are 2^64 - 2 at
   * most, so it fits in.
   */
  highProduct(x: Limb, y: Limb, carry: Limb = 0n): number {
    const writer = this.#writer;
    const [xl, xh] = this.#known.get(x) as readonly [Limb, Limb];
    const [yl, yh] = this.#known.get(y) as readonly [Limb, Limb];
    // t = xh·yl + ((xl·yl) >> 32); u = xl·yh + (t & 0xffffffff); the result is xh·yh + (t >> 32) + (u >> 32)
    writer.limb(xl).limb(yl).raw(op.i64Mul).i64(32n).raw(op.i64ShiftRightUnsigned);
    writer.limb(xh).limb(yl).raw(op.i64Mul, op.i64Add);
    const t = writer.keep();
    writer.limb(xh).limb(yh).raw(op.i64Mul).limb(t).i64(32n).raw(op.i64ShiftRightUnsigned, op.i64Add);
    writer.limb(xl).limb(yh).raw(op.i64Mul).limb(t).i64(LOW_HALF).raw(op.i64And, op.i64Add);
    writer.i64(32n).raw(op.i64ShiftRightUnsigned, op.i64Add);
    if (carry !== 0n) writer.limb(carry).raw(op.i64Add);
    writer.locals.release(t, carry);
    return writer.keep();
  }

  release(): void {
    for (const halves of this.#known.values()) this.#writer.locals.release(...halves);
  }
}
