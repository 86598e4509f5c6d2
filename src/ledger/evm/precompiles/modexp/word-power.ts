import { bigintToBytes, bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import { createMemory, instantiate } from "../../../../protocol/wasm/web-assembly.ts";
import { bytesToLimbs, limbsToBytes } from "../../../state/journal/limb-tables.ts";
import { type Interpreter, interpreterModule } from "../../engine/interpreter/module.ts";
import {
  POWER_BASE,
  POWER_EXPONENT,
  POWER_EXPONENT_SIZE,
  POWER_MODULUS,
  POWER_RESULT,
} from "../../engine/layout.ts";

/** Bytes of the longest modulus. */
export const WORD_BYTES = 32;
/** Pages of the module's memory, of which only the first is used. */
const PAGES = 16;

/** Big-endian bytes of an exponent; of its `size` bytes those beyond `bytes` are zero. */
export interface Exponent {
  readonly bytes: Uint8Array;
  readonly size: number;
}

/** An instance of the interpreter's module of its own: the machine's may be in the middle of a run. */
let words: ReturnType<typeof createWords> | undefined;

function createWords() {
  const memory = createMemory(PAGES);
  const env = { memory, abort: () => undefined };
  const power: Pick<Interpreter, "beginPower" | "continuePower"> = instantiate(interpreterModule(), { env });
  return { power, u8: new Uint8Array(memory.buffer), u32: new Uint32Array(memory.buffer) };
}

/**
 * base^exponent mod modulus by the arithmetic of words in WebAssembly, which takes three quarters to a quarter of BigInt's time.
 * @param base - big-endian, without leading zeros
 * @param modulus - big-endian, at most 32 bytes, not zero
 * @param checkDeadline - called after each KiB of the exponent, at most a millisecond of multiplications
 * @returns 32 bytes
 */
export function wordPower(
  base: Uint8Array,
  exponent: Exponent,
  modulus: Uint8Array,
  checkDeadline: () => void,
): Uint8Array {
  words ??= createWords();
  const { power, u8, u32 } = words;
  const short = base.length > WORD_BYTES ? bigintToBytes(bytesToBigint(base) % bytesToBigint(modulus)) : base;
  bytesToLimbs(short, u32, POWER_BASE >>> 2);
  bytesToLimbs(modulus, u32, POWER_MODULUS >>> 2);
  power.beginPower();
  for (let at = 0; at < exponent.size; at += POWER_EXPONENT_SIZE) {
    const size = Math.min(exponent.size - at, POWER_EXPONENT_SIZE);
    const piece = exponent.bytes.subarray(at, at + size);
    if (piece.length < size) u8.fill(0, POWER_EXPONENT, POWER_EXPONENT + size);
    u8.set(piece, POWER_EXPONENT);
    power.continuePower(size);
    if (at + size < exponent.size) checkDeadline();
  }
  return limbsToBytes(u32, POWER_RESULT >>> 2);
}
