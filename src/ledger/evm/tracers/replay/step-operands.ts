import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { StepView } from "../../evm.ts";
import { stackNumber } from "../stack-number.ts";

/** A region of memory. */
export interface MemoryRegion {
  readonly offset: number;
  readonly size: number;
}

const WORD = 32;
/** More memory than any gas pays for, bytes. */
const MAX_MEMORY = 2 ** 31;

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
  const size = typeof operands.size === "number" ? stackNumber(view, operands.size) : operands.size.bytes;
  const offset = stackNumber(view, operands.offset);
  return size === 0 || size > MAX_MEMORY || offset > MAX_MEMORY ? undefined : { offset, size };
}

/** The bytes of a region in hex, truncated at the end of memory. */
export function memoryHex({ bytes, memoryAt, memorySize }: StepView, { offset, size }: MemoryRegion): string {
  const end = Math.min(offset + size, memorySize);
  return bytesToHex(bytes.subarray(memoryAt + Math.min(offset, end), memoryAt + end));
}
