/** Pieces of WebAssembly's binary format, for modules that are put together here. @see WebAssembly 1.0, chapter 5 */

/** Types of values. */
export const I32 = 0x7f;
export const I64 = 0x7e;
/** Type of a block without a result. */
export const VOID = 0x40;
/** Exponent of the alignment of 8 bytes. */
export const ALIGN_8 = 3;

/** Opcodes. */
export const op = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branch: 0x0c,
  branchIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i64Load: 0x29,
  i64Store: 0x37,
  i32Const: 0x41,
  i64Const: 0x42,
  i32Eqz: 0x45,
  i32LessUnsigned: 0x49,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i64Add: 0x7c,
  i64And: 0x83,
  i64Xor: 0x85,
  i64RotateLeft: 0x89,
  i64RotateRight: 0x8a,
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
/** Replaces the address on the stack by the 64 bits that lie `offset` bytes behind it. */
export const load = (offset: number): number[] => [op.i64Load, ALIGN_8, ...leb(offset)];
/** Pops 64 bits and an address; stores them `offset` bytes behind it. */
export const store = (offset: number): number[] => [op.i64Store, ALIGN_8, ...leb(offset)];

/** A section of a module. */
export function section(id: number, content: readonly number[]): number[] {
  return [id, ...vector(content)];
}

/** Bytes behind their count. */
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

function signedLeb(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const done = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
  return done ? [low] : [low | 0x80, ...signedLeb(rest)];
}
