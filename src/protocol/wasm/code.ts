/** Elements of WebAssembly's binary format, for modules assembled here. @see WebAssembly 1.0, chapter 5 */

/** Types of values. */
export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;
/** Type of functions and of references to them. */
export const FUNCTION = 0x60;
export const FUNCTION_REFERENCE = 0x70;
/** Type of a block without a result. */
export const VOID = 0x40;
/** Exponent of the alignment of 8 bytes. */
export const ALIGN_8 = 3;

/** Opcodes. */
export const op = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  branch: 0x0c,
  branchIf: 0x0d,
  branchTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  select: 0x1b,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Load: 0x28,
  i64Load: 0x29,
  i32Load8Unsigned: 0x2d,
  i32Load16Unsigned: 0x2f,
  i64Load32Unsigned: 0x35,
  i32Store: 0x36,
  i64Store: 0x37,
  i32Store8: 0x3a,
  i32Const: 0x41,
  i64Const: 0x42,
  i32Eqz: 0x45,
  i32Equal: 0x46,
  i32NotEqual: 0x47,
  i32LessUnsigned: 0x49,
  i32GreaterUnsigned: 0x4b,
  i32GreaterOrEqualSigned: 0x4e,
  i64Eqz: 0x50,
  i64Equal: 0x51,
  i64NotEqual: 0x52,
  i64LessSigned: 0x53,
  i64LessUnsigned: 0x54,
  i64LessOrEqualUnsigned: 0x58,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32Multiply: 0x6c,
  i32And: 0x71,
  i32Or: 0x72,
  i32Xor: 0x73,
  i32ShiftLeft: 0x74,
  i32ShiftRightUnsigned: 0x76,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64Mul: 0x7e,
  i64DivideUnsigned: 0x80,
  i64RemainderUnsigned: 0x82,
  i64And: 0x83,
  i64Or: 0x84,
  i64Xor: 0x85,
  i64ShiftLeft: 0x86,
  i64ShiftRightSigned: 0x87,
  i64ShiftRightUnsigned: 0x88,
  i64RotateLeft: 0x89,
  i64RotateRight: 0x8a,
  i32Wrap: 0xa7,
  i64ExtendUnsigned: 0xad,
  /** First byte of the vector instructions below. */
  vector: 0xfd,
} as const;

/** Vector instructions, behind `op.vector`. */
export const vector128 = {
  load: 0x00,
  store: 0x0b,
  constant: 0x0c,
  shuffle: 0x0d,
  i64x2Splat: 0x12,
  i64x2ExtractLane: 0x1d,
  i64x2ReplaceLane: 0x1e,
  i32x4Equal: 0x37,
  and: 0x4e,
  or: 0x50,
  xor: 0x51,
  bitSelect: 0x52,
  load32Lane: 0x56,
  load32Zero: 0x5c,
  i16x8ShiftLeft: 0x8b,
  i16x8Add: 0x8e,
  i16x8Sub: 0x91,
  i32x4ShiftLeft: 0xab,
  i32x4ShiftRightSigned: 0xac,
  i32x4Add: 0xae,
  i32x4Sub: 0xb1,
  /** Sum of the two products of 16-bit halves, in each of four lanes. */
  i32x4Dot: 0xba,
} as const;

/** Ids of a module's sections. */
export const SECTION = {
  types: 1,
  imports: 2,
  functions: 3,
  tables: 4,
  memory: 5,
  exports: 7,
  elements: 9,
  code: 10,
} as const;

/** First bytes of every module: the magic word and version 1. */
export const MODULE_HEADER: readonly number[] = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** Pushes a local variable. */
export const get = (local: number): number[] => [op.localGet, ...leb(local)];
/** Pops into a local variable. */
export const set = (local: number): number[] => [op.localSet, ...leb(local)];
/** Pushes a 32-bit constant. */
export const i32 = (value: number): number[] => [op.i32Const, ...signedLeb(BigInt(value))];
/** Pushes a 64-bit constant. */
export const i64 = (value: bigint): number[] => [op.i64Const, ...signedLeb(value)];
/** Replaces the address on the stack with the 64 bits at that address plus `offset`. */
export const load = (offset: number): number[] => [op.i64Load, ALIGN_8, ...leb(offset)];
/** Pops 64 bits and an address; stores them at that address plus `offset`. */
export const store = (offset: number): number[] => [op.i64Store, ALIGN_8, ...leb(offset)];

/** A section of a module. */
export function section(id: number, content: readonly number[]): number[] {
  return [id, ...vector(content)];
}

/** Bytes prefixed by their length. */
export function vector(content: readonly number[]): number[] {
  return [...leb(content.length), ...content];
}

/** A name in ASCII. */
export function text(name: string): number[] {
  return vector([...name].map((letter) => letter.charCodeAt(0)));
}

/** An unsigned number in LEB128. */
export function leb(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}

/** A signed number in LEB128. */
export function signedLeb(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const done = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
  return done ? [low] : [low | 0x80, ...signedLeb(rest)];
}
