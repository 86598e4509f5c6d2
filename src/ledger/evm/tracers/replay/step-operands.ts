import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { StepView } from "../../evm.ts";
import { Op } from "../../tables/op.ts";

/** A region of memory. */
export interface MemoryRegion {
  readonly offset: number;
  readonly size: number;
}

const WORD = 32;
/** More memory than any gas pays for, bytes. */
const MAX_MEMORY = 2 ** 31;
const LAST_SIZED = 4;

/**
 * Stack depths of the offset and size of the memory that an opcode shows; `of` is a fixed size.
 */
const MEMORY_OPERANDS: ReadonlyMap<
  number,
  { readonly offset: number; readonly size: number | { of: number } }
> = new Map([
  [Op.mload, { offset: 0, size: { of: WORD } }],
  [Op.mstore, { offset: 0, size: { of: WORD } }],
  [Op.mstore8, { offset: 0, size: { of: 1 } }],
  [Op.callDataCopy, { offset: 0, size: 2 }],
  [Op.codeCopy, { offset: 0, size: 2 }],
  [Op.returnDataCopy, { offset: 0, size: 2 }],
  [Op.mcopy, { offset: 0, size: 2 }],
  [Op.extCodeCopy, { offset: 1, size: 3 }],
  [Op.call, { offset: 5, size: 6 }],
  [Op.callCode, { offset: 5, size: 6 }],
  [Op.delegateCall, { offset: 4, size: 5 }],
  [Op.staticCall, { offset: 4, size: 5 }],
]);

/** A stack word as a quantity; zero below the bottom. @param depth - 0 = top */
export function quantityAt({ bytes, stackAt, height }: StepView, depth: number): string {
  if (depth >= height) return "0x0";
  const start = stackAt + (height - 1 - depth) * WORD;
  let end = start + WORD;
  while (end > start && bytes[end - 1] === 0) end--;
  if (end === start) return "0x0";
  const digits = bytesToHex(bytes.slice(start, end).reverse()).slice(2);
  return `0x${digits.startsWith("0") ? digits.slice(1) : digits}`;
}

/** The region of memory that a step is about to load or write; undefined if there is none. */
export function memoryOf(view: StepView): MemoryRegion | undefined {
  const operands = MEMORY_OPERANDS.get(view.op);
  if (operands === undefined) return undefined;
  const size = typeof operands.size === "number" ? numberAt(view, operands.size) : operands.size.of;
  const offset = numberAt(view, operands.offset);
  return size === 0 || size > MAX_MEMORY || offset > MAX_MEMORY ? undefined : { offset, size };
}

/** The bytes of a region in hex, truncated at the end of memory. */
export function memoryHex({ bytes, memoryAt, memorySize }: StepView, { offset, size }: MemoryRegion): string {
  const end = Math.min(offset + size, memorySize);
  return bytesToHex(bytes.subarray(memoryAt + Math.min(offset, end), memoryAt + end));
}

/** A stack word as a number; Infinity if it does not fit 32 bits. */
function numberAt({ bytes, stackAt, height }: StepView, depth: number): number {
  if (depth >= height) return 0;
  const start = stackAt + (height - 1 - depth) * WORD;
  for (let at = start + LAST_SIZED; at < start + WORD; at++)
    if (bytes[at] !== 0) return Number.POSITIVE_INFINITY;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(start, start + LAST_SIZED);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
