import type { StepView } from "../evm.ts";

const WORD = 32;
/** Bytes of a word that the number is made of. */
const SIZED = 4;

/** A stack word as a number: Infinity if it does not fit 32 bits, 0 below the bottom. @param depth - 0 = top */
export function stackNumber({ bytes, stackAt, height }: StepView, depth: number): number {
  if (depth >= height) return 0;
  const start = stackAt + (height - 1 - depth) * WORD;
  for (let at = start + SIZED; at < start + WORD; at++) if (bytes[at] !== 0) return Number.POSITIVE_INFINITY;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(start, start + SIZED);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
