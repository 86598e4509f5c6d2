import { ALIGN_8, op, VOID, vector128 } from "./code.ts";

/** The code exceeds its writer's limit. */
export class CodeTooLong extends Error {}

const FIRST_SIZE = 4096;
const REVERSED = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/** Writes the instructions of one function, at most `limit` bytes of them. @see WebAssembly 2.0, section 5.4 */
export class CodeWriter {
  readonly #limit: number;
  #bytes = new Uint8Array(FIRST_SIZE);
  #size = 0;
  #depth = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The code so far; a view. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Writes bytes as they are. @throws CodeTooLong */
  raw(...bytes: readonly number[]): this {
    const size = this.#size + bytes.length;
    if (size > this.#limit) throw new CodeTooLong(`more than ${this.#limit} bytes`);
    if (size > this.#bytes.length) this.#grow();
    for (const byte of bytes) this.#bytes[this.#size++] = byte;
    return this;
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** An unsigned LEB128 number below 2^32. */
  #unsigned(value: number): this {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.raw((rest & 0x7f) | 0x80);
    return this.raw(rest);
  }

  get(local: number): this {
    return this.raw(op.localGet).#unsigned(local);
  }

  set(local: number): this {
    return this.raw(op.localSet).#unsigned(local);
  }

  tee(local: number): this {
    return this.raw(op.localTee).#unsigned(local);
  }

  /** A 32-bit constant. */
  i32(value: number): this {
    this.raw(op.i32Const);
    let rest = value | 0;
    for (; rest < -0x40 || rest > 0x3f; rest >>= 7) this.raw((rest & 0x7f) | 0x80);
    return this.raw(rest & 0x7f);
  }

  /** A 64-bit constant, taken modulo 2^64. */
  i64(value: bigint): this {
    this.raw(op.i64Const);
    let rest = BigInt.asIntN(64, value);
    for (; rest < -0x40n || rest > 0x3fn; rest >>= 7n) this.raw(Number(rest & 0x7fn) | 0x80);
    return this.raw(Number(rest & 0x7fn));
  }

  load64(offset: number): this {
    return this.raw(op.i64Load, ALIGN_8).#unsigned(offset);
  }

  store64(offset: number): this {
    return this.raw(op.i64Store, ALIGN_8).#unsigned(offset);
  }

  load32(offset: number): this {
    return this.raw(op.i32Load, 2).#unsigned(offset);
  }

  store32(offset: number): this {
    return this.raw(op.i32Store, 2).#unsigned(offset);
  }

  /** A 32-bit number as an i64. */
  load32To64(offset: number): this {
    return this.raw(op.i64Load32Unsigned, 2).#unsigned(offset);
  }

  load8(offset: number): this {
    return this.raw(op.i32Load8Unsigned, 0).#unsigned(offset);
  }

  load16(offset: number): this {
    return this.raw(op.i32Load16Unsigned, 0).#unsigned(offset);
  }

  store8(offset: number): this {
    return this.raw(op.i32Store8, 0).#unsigned(offset);
  }

  /** 16 bytes at an address of any alignment. */
  loadVector(offset: number): this {
    return this.raw(op.vector, vector128.load, 0).#unsigned(offset);
  }

  storeVector(offset: number): this {
    return this.raw(op.vector, vector128.store, 0).#unsigned(offset);
  }

  /** Reverses the 16 bytes of the vector on the stack, using a local. */
  reverseVector(local: number): this {
    return this.tee(local)
      .get(local)
      .raw(op.vector, vector128.shuffle, ...REVERSED);
  }

  splat(): this {
    return this.raw(op.vector, vector128.i64x2Splat);
  }

  extractLane(lane: number): this {
    return this.raw(op.vector, vector128.i64x2ExtractLane, lane);
  }

  replaceLane(lane: number): this {
    return this.raw(op.vector, vector128.i64x2ReplaceLane, lane);
  }

  /** Opens a block; branching to its label continues after its end. */
  block(): number {
    return this.#open(op.block);
  }

  /** Opens a loop; branching to its label continues at its beginning. */
  loop(): number {
    return this.#open(op.loop);
  }

  /** Opens an if block, executed when the i32 on the stack is not 0. */
  if(): number {
    return this.#open(op.if);
  }

  else(): this {
    return this.raw(op.else);
  }

  end(): this {
    this.#depth--;
    return this.raw(op.end);
  }

  #open(opcode: number): number {
    this.raw(opcode, VOID);
    return this.#depth++;
  }

  branch(label: number): this {
    return this.raw(op.branch).#unsigned(this.#depth - 1 - label);
  }

  branchIf(label: number): this {
    return this.raw(op.branchIf).#unsigned(this.#depth - 1 - label);
  }

  /** Branches by the i32 on the stack; to the last label when it is out of range. */
  branchTable(labels: readonly number[]): this {
    this.raw(op.branchTable).#unsigned(labels.length - 1);
    for (const label of labels) this.#unsigned(this.#depth - 1 - label);
    return this;
  }

  call(index: number): this {
    return this.raw(op.call).#unsigned(index);
  }
}
