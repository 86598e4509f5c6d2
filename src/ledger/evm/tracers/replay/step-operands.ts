import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { StepView } from "../../evm.ts";

/** A region of memory. */
export interface MemoryRegion {
  readonly offset: number;
  readonly size: number;
}

const WORD = 32;
/** More memory than any gas pays for, bytes. */
const MAX_MEMORY = 2 ** 31;
const LAST_SIZED = 4;

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
  const operands = view.memoryOperands;
  if (operands === undefined) return undefined;
  const size = typeof operands.size === "number" ? numberAt(view, operands.size) : operands.size.bytes;
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
