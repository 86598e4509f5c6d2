import { op } from "../../../../protocol/wasm/code.ts";
import { CodeWriter } from "../../../../protocol/wasm/code-writer.ts";
import { type Limb, Locals, type Word } from "./locals.ts";
import { type RuntimeFunction, runtimeIndex } from "./runtime.ts";

/** Fixed locals of a part, parameters first. */
export const FRAME = 0;
/** Number of the next block. */
export const BLOCK = 1;
/** i64: a taken jump yields if less gas than this is left. */
export const YIELD_AT = 2;
/** i32 locals: stack pointer, address of the deepest word that the block accesses, bounds of the stack, memory, two scratch. */
export const SP = 3;
export const FLOOR = 4;
export const STACK = 5;
export const STACK_END = 6;
export const MEMORY = 7;
export const MEMORY_SIZE = 8;
export const PC = 9;
export const EXIT = 10;
export const SCRATCH = 11;
/** i32 locals for the results of the last comparisons, for use by jumps. */
const FIRST_FLAG = 12;
const FLAGS = 4;
export const I32_LOCALS = 13;
export const VECTOR = 16;
/** i64 locals */
export const GAS = 17;
export const COMPUTATION = 18;
export const FIRST_LIMB = 19;

/** Maximum number of inlined multiplications in a part; further ones call the runtime. */
const MAX_INLINE_PRODUCTS = 32;

/** Emits the body of a part. */
export class PartWriter extends CodeWriter {
  readonly locals = new Locals(FIRST_LIMB);
  #products: number;
  #flags = 0;

  /** @param limit - maximum size, bytes @param products - number of multiplications inlined already */
  constructor(limit: number, products = 0) {
    super(limit);
    this.#products = products;
  }

  /** A writer for a trial whose output is discarded; it makes the same decisions as this one. */
  draft(limit: number): PartWriter {
    return new PartWriter(limit, this.#products);
  }

  /** Counts a multiplication. @returns whether it may be inlined */
  takeProduct(): boolean {
    return ++this.#products <= MAX_INLINE_PRODUCTS;
  }

  /** Pushes a limb. */
  limb(limb: Limb): this {
    return typeof limb === "bigint" ? this.i64(limb) : this.get(limb);
  }

  /** Pops an i64 into a new local. */
  keep(): number {
    const local = this.locals.take();
    this.set(local);
    return local;
  }

  /** Pops an i64 into a new local and leaves it on the stack. */
  keepCopy(): number {
    const local = this.locals.take();
    this.tee(local);
    return local;
  }

  /** Pops an i32, 0 or 1, into a new i64 local; `flagOf` finds the i32 until it is overwritten. */
  keepFlag(): number {
    const flag = FIRST_FLAG + (this.#flags++ % FLAGS);
    this.tee(flag).raw(op.i64ExtendUnsigned);
    const limb = this.keep();
    this.locals.noteFlag(limb, flag);
    return limb;
  }

  /** The i32 local with the value of a word, 0 or 1, that results from a comparison; undefined for other words. */
  flagOf([low, ...high]: Word): number | undefined {
    if (typeof low === "bigint" || high.some((limb) => limb !== 0n)) return undefined;
    return this.locals.flagOf(low);
  }

  /** `a` operator `b` in a new local. */
  binary(opcode: number, a: Limb, b: Limb): number {
    this.limb(a).limb(b).raw(opcode);
    return this.keep();
  }

  /** Calls a function of the runtime. */
  callRuntime(name: RuntimeFunction): this {
    return this.call(runtimeIndex(name));
  }

  /** Writes a 32-bit constant to a field of the frame. */
  storeField(field: number, value: number): this {
    return this.get(FRAME).i32(value).store32(field);
  }

  /** Returns the i32 on the stack from the part. */
  return(): this {
    return this.raw(op.return);
  }
}
