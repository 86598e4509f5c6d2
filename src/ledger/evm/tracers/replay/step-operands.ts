import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { StepView } from "../../evm.ts";
import { Op } from "../../tables/op.ts";

/** A part of memory. */
export interface MemoryPart {
  readonly offset: number;
  readonly size: number;
}

const WORD = 32;
/** What no gas reaches: bytes of memory. */
const MAX_MEMORY = 2 ** 31;
const LAST_SIZED = 4;

/**
 * Where an opcode that shows memory has offset and size, counted from the top of the stack; one number alone where the size is
 * its own.
 */
const MEMORY_OPERANDS: ReadonlyMap<
  number,
  { readonly offset: number; readonly size: number | { of: number } }
> = new Map([
  [0x51, { offset: 0, size: { of: WORD } }], // MLOAD
  [0x52, { offset: 0, size: { of: WORD } }], // MSTORE
  [0x53, { offset: 0, size: { of: 1 } }], // MSTORE8
  [0x37, { offset: 0, size: 2 }], // CALLDATACOPY
  [0x39, { offset: 0, size: 2 }], // CODECOPY
  [0x3e, { offset: 0, size: 2 }], // RETURNDATACOPY
  [0x5e, { offset: 0, size: 2 }], // MCOPY
  [0x3c, { offset: 1, size: 3 }], // EXTCODECOPY
  [Op.call, { offset: 5, size: 6 }],
  [Op.callCode, { offset: 5, size: 6 }],
  [Op.delegateCall, { offset: 4, size: 5 }],
  [Op.staticCall, { offset: 4, size: 5 }],
]);

/** A word of the stack as a quantity. @param depth - 0 = top, below the end zero */
export function quantityAt({ bytes, stackAt, height }: StepView, depth: number): string {
  if (depth >= height) return "0x0";
  const start = stackAt + (height - 1 - depth) * WORD;
  let end = start + WORD;
  while (end > start && bytes[end - 1] === 0) end--;
  if (end === start) return "0x0";
  const digits = bytesToHex(bytes.slice(start, end).reverse()).slice(2);
  return `0x${digits.startsWith("0") ? digits.slice(1) : digits}`;
}

/** The part of memory that a step is about to read as a word, or to write; undefined where there is none. */
export function memoryOf(view: StepView): MemoryPart | undefined {
  const operands = MEMORY_OPERANDS.get(view.op);
  if (operands === undefined) return undefined;
  const size = typeof operands.size === "number" ? numberAt(view, operands.size) : operands.size.of;
  const offset = numberAt(view, operands.offset);
  return size === 0 || size > MAX_MEMORY || offset > MAX_MEMORY ? undefined : { offset, size };
}

/** The bytes of a part of memory, shorter where memory ends before. */
export function memoryHex({ bytes, memoryAt, memorySize }: StepView, { offset, size }: MemoryPart): string {
  const end = Math.min(offset + size, memorySize);
  return bytesToHex(bytes.subarray(memoryAt + Math.min(offset, end), memoryAt + end));
}

/** A word of the stack as a number; more than any memory has where it does not fit. */
function numberAt({ bytes, stackAt, height }: StepView, depth: number): number {
  if (depth >= height) return 0;
  const start = stackAt + (height - 1 - depth) * WORD;
  for (let at = start + LAST_SIZED; at < start + WORD; at++)
    if (bytes[at] !== 0) return Number.POSITIVE_INFINITY;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(start, start + LAST_SIZED);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
