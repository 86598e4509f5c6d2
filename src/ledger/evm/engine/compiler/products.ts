import { op } from "../../../../protocol/wasm/code.ts";
import { addLimbs, type BinaryOperation, folding } from "./arithmetic.ts";
import { INDEXES, type Limb, wordOf } from "./locals.ts";
import type { PartWriter } from "./part-writer.ts";

const LOW_HALF = 0xffff_ffffn;

/** a × b written out: products of limbs by columns. */
export const multiply: BinaryOperation = folding(
  (a, b) => a * b,
  (writer, a, b) => {
    const halves = new Halves(writer, [...a, ...b]);
    let terms: Limb[][] = [[], [], [], []];
    for (const i of INDEXES) {
      for (const j of INDEXES) {
        if (i + j > 3 || a[i] === 0n || b[j] === 0n) continue;
        terms[i + j]?.push(writer.binary(op.i64Mul, a[i], b[j]));
        if (i + j < 3) terms[i + j + 1]?.push(halves.highProduct(a[i], b[j]));
      }
    }
    const product = wordOf((column): Limb => {
      const [sum, carries] = addColumn(writer, terms[column] ?? [], column < 3);
      terms = terms.map((others, i) => (i === column + 1 ? [...others, ...carries] : others));
      return sum;
    });
    halves.release();
    return product;
  },
);

/** The sum of limbs, which it releases, and its carries. */
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

/** The 32-bit halves of limbs, each taken apart once. */
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

  /** The upper 64 bits of a product; WebAssembly has no instruction for it. */
  highProduct(x: Limb, y: Limb): number {
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
    writer.locals.release(t);
    return writer.keep();
  }

  release(): void {
    for (const halves of this.#known.values()) this.#writer.locals.release(...halves);
  }
}
