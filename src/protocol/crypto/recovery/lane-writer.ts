import { concat } from "../../primitives/bytes.ts";
import { I32, leb, op, V128, vector128 } from "../../wasm/code.ts";
import { CodeWriter } from "../../wasm/code-writer.ts";
import { ELEMENT_VECTORS } from "./layout.ts";

/** Where something lies: a number of bytes after the address in a local variable, or at an address known beforehand. */
export interface LanePlace {
  readonly base?: number;
  readonly offset: number;
}

/** A factor and the element that it multiplies. */
export type Summand = readonly [factor: -3 | -2 | -1 | 1 | 2 | 3, element: LanePlace];

/** The place at a fixed address. */
export const fixed = (offset: number): LanePlace => ({ offset });
/** The place that a local variable points to. */
export const pointedAt = (base: number, offset = 0): LanePlace => ({ base, offset });
/** The place a number of bytes after another. */
export const behind = (place: LanePlace, bytes: number): LanePlace => ({
  ...place,
  offset: place.offset + bytes,
});

/** Pattern of a shuffle, for each of four lanes: the low half of the first vector's, the high half of the second's. */
export const LOW_AND_HIGH: readonly number[] = [0, 4, 8, 12].flatMap((at) => [at, at + 1, at + 18, at + 19]);

/** Longest body of a function; the longest has a tenth of it. */
const LIMIT = 1 << 16;

/** Writes the body of one function that works on field elements, four at once, and hands out its local variables. */
export class LaneWriter extends CodeWriter {
  readonly #parameters: number;
  readonly #indexOf: (name: string) => number;
  readonly #types: number[] = [];
  readonly #unused: number[] = [];

  /**
   * @param parameters - their number; all are i32
   * @param indexOf - the number of a function of the module
   */
  constructor(parameters: number, indexOf: (name: string) => number) {
    super(LIMIT);
    this.#parameters = parameters;
    this.#indexOf = indexOf;
  }

  /** A new i32 variable. */
  integer(): number {
    return this.#parameters + this.#types.push(I32) - 1;
  }

  /** A vector variable: one that was given back, or a new one. */
  vector(): number {
    return this.#unused.pop() ?? this.#parameters + this.#types.push(V128) - 1;
  }

  /** Gives vector variables back. */
  release(...vectors: readonly number[]): void {
    this.#unused.push(...vectors);
  }

  /** The function as the code section wants it: its length, variables, instructions and end. */
  body(): Uint8Array {
    const locals = [...leb(this.#types.length), ...this.#types.flatMap((type) => [1, type])];
    const length = leb(locals.length + this.bytes.length + 1);
    return concat(Uint8Array.from([...length, ...locals]), this.bytes, Uint8Array.of(op.end));
  }

  /** A vector instruction. */
  lanes(instruction: number): this {
    return this.raw(op.vector, ...leb(instruction));
  }

  /** A vector whose four lanes hold a pair of 16-bit numbers each. */
  pairs(low: number, high: number): this {
    const lane = [low & 0xff, (low >> 8) & 0xff, high & 0xff, (high >> 8) & 0xff];
    return this.lanes(vector128.constant).raw(...lane, ...lane, ...lane, ...lane);
  }

  /** A vector with the same 32-bit number in its four lanes. */
  fill(value: number): this {
    return this.pairs(value & 0xffff, value >> 16);
  }

  /** Pushes a vector of what lies at a place. */
  load(place: LanePlace, vector = 0): this {
    return this.#base(place).loadVector(place.offset + 16 * vector);
  }

  /** Stores the vector in a variable. */
  save(place: LanePlace, vector: number, value: number): this {
    return this.#base(place)
      .get(value)
      .storeVector(place.offset + 16 * vector);
  }

  #base({ base }: LanePlace): this {
    return base === undefined ? this.i32(0) : this.get(base);
  }

  /** Pushes the address of a place. */
  pointer({ base, offset }: LanePlace): this {
    if (base === undefined) return this.i32(offset);
    return offset === 0 ? this.get(base) : this.get(base).i32(offset).raw(op.i32Add);
  }

  /** Calls a function with the addresses of places. */
  invoke(name: string, ...places: readonly LanePlace[]): this {
    for (const place of places) this.pointer(place);
    return this.call(this.#indexOf(name));
  }

  /** Adds to the i32 in a variable. */
  advance(variable: number, bytes: number): this {
    return this.get(variable).i32(bytes).raw(op.i32Add).set(variable);
  }

  /** Repeats instructions as often as the i32 in a variable says, at least once, and counts it down to 0. */
  repeat(count: number, instructions: () => void): this {
    const again = this.loop();
    instructions();
    return this.get(count).i32(1).raw(op.i32Sub).tee(count).branchIf(again).end();
  }

  /** Copies vectors from one place to another. */
  copy(to: LanePlace, from: LanePlace, vectors: number): this {
    const value = this.vector();
    for (let k = 0; k < vectors; k++) this.load(from, k).set(value).save(to, k, value);
    this.release(value);
    return this;
  }

  /** Writes the sum of elements times small factors, limb by limb: nothing is carried. */
  sum(to: LanePlace, ...terms: readonly Summand[]): this {
    const [value, sum] = [this.vector(), this.vector()];
    for (let k = 0; k < ELEMENT_VECTORS; k++) {
      for (const [i, [factor, element]] of terms.entries()) {
        this.load(element, k).set(value);
        const size = Math.abs(factor);
        if (i > 0) this.get(sum);
        else if (factor < 0) this.fill(0);
        this.get(value);
        if (size > 1) this.i32(1).lanes(vector128.i16x8ShiftLeft);
        if (size > 2) this.get(value).lanes(vector128.i16x8Add);
        if (factor < 0) this.lanes(vector128.i16x8Sub);
        else if (i > 0) this.lanes(vector128.i16x8Add);
        this.set(sum);
      }
      this.save(to, k, sum);
    }
    this.release(value, sum);
    return this;
  }

  /** Writes the product of two elements. The product of the largest limbs may be five times 2^24. */
  multiply(to: LanePlace, a: LanePlace, b: LanePlace): this {
    return this.invoke("multiplyColumns", a, b).invoke("reduce", to);
  }

  /** Writes the product of an element and a small multiple of it. */
  square(to: LanePlace, a: LanePlace, multiple: LanePlace = a): this {
    return this.invoke("squareColumns", a, multiple).invoke("reduce", to);
  }
}
