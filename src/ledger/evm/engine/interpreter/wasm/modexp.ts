// STATICCALLs of the MODEXP precompile with numbers of up to a word, without the host: loops of contracts consist of little else.
import { chargeCall } from "./interpreter";
import { beginPower, continuePower } from "./power";
import * as word from "./word";
import {
  COMPUTATION_LEFT, FRAME_CALL_GAS, FRAME_GAS, FRAME_MEMORY, FRAME_MEMORY_SIZE, FRAME_OUTPUT, FRAME_OUTPUT_SIZE, FRAME_OWNER, FRAME_PC,
  FRAME_REGION, FRAME_REGION_SIZE, FRAME_RETURN_DATA, FRAME_RETURN_DATA_SIZE, FRAME_SP, LAST_FRAME, MODEXP_CALLER,
  MODEXP_COMPLEXITY, MODEXP_DIVISOR, MODEXP_MINIMUM, POWER_BASE, POWER_EXPONENT, POWER_MODULUS, POWER_RESULT, RETURN_DATA,
} from "../../layout";

const MODEXP: u64 = 5;
/** The lengths before base, exponent and modulus. */
const HEADER: u32 = 96;
const WORD: u32 = 32;

/**
 * Runs the STATICCALL for which `frame` has left, if it calls MODEXP and the host has admitted that. Returns false, without any change,
 * if the host has to.
 */
export function callModexp(frame: usize): bool {
  const sp = load<usize>(frame, FRAME_SP);
  if (load<u64>(sp - 64) != MODEXP || !word.fits64(sp - 64) || frame >= <usize>LAST_FRAME) return false;
  if (load<u32>(MODEXP_CALLER) != load<u32>(frame, FRAME_OWNER)) return false;
  const start = load<u32>(frame, FRAME_REGION), size = load<u32>(frame, FRAME_REGION_SIZE);
  // Input in memory that this call adds is left to the host: it is not there before the call is charged.
  if (size < HEADER || <u64>start + size > <u64>load<u32>(frame, FRAME_MEMORY_SIZE)) return false;
  const input = load<usize>(frame, FRAME_MEMORY) + start, end = input + size;
  const baseSize = lengthAt(input), exponentSize = lengthAt(input + 32), modulusSize = lengthAt(input + 64);
  if (baseSize > WORD || exponentSize > WORD || modulusSize > WORD || modulusSize == 0 || !chargeCall(frame, 0, sp - 32)) return false;
  const exponent = input + HEADER + baseSize;
  readBytes(POWER_EXPONENT, exponent, exponentSize, end);
  const gas = priceOf(max(baseSize, modulusSize), exponentSize), given = load<i64>(frame, FRAME_CALL_GAS);
  store<i64>(COMPUTATION_LEFT, load<i64>(COMPUTATION_LEFT) - gas / 100 - 100);
  if (gas > given) {
    finish(frame, sp, 0, false);
    return true;
  }
  store<i64>(frame, load<i64>(frame, FRAME_GAS) + given - gas, FRAME_GAS);
  readWord(POWER_BASE, input + HEADER, baseSize, end);
  readWord(POWER_MODULUS, exponent + exponentSize, modulusSize, end);
  if (word.isZero(POWER_MODULUS)) word.set64(POWER_RESULT, 0);
  else {
    beginPower();
    continuePower(exponentSize);
  }
  // The word big-endian, of which the last bytes are the output.
  word.swapBytes(POWER_RESULT, POWER_RESULT);
  memory.copy(RETURN_DATA, POWER_RESULT + WORD - modulusSize, modulusSize);
  finish(frame, sp, modulusSize, true);
  return true;
}

/** A length in 32 big-endian bytes, or 2^32 - 1 for all that are longer. */
function lengthAt(at: usize): u32 {
  const zeros = load<u64>(at) | load<u64>(at, 8) | load<u64>(at, 16) | <u64>load<u32>(at, 24);
  return zeros ? u32.MAX_VALUE : bswap<u32>(load<u32>(at, 28));
}

/** Copies up to 32 bytes, zeros beyond `end`. */
function readBytes(to: usize, from: usize, size: u32, end: usize): void {
  memory.fill(to, 0, WORD);
  if (from < end) memory.copy(to, from, min<usize>(size, end - from));
}

/** Reads a big-endian number of up to 32 bytes, zeros beyond `end`. */
function readWord(to: usize, from: usize, size: u32, end: usize): void {
  memory.fill(to, 0, WORD);
  if (from < end) memory.copy(to + WORD - size, from, min<usize>(size, end - from));
  word.swapBytes(to, to);
}

/** Price of numbers of up to `size` bytes to the power of the exponent at POWER_EXPONENT. @see EIP-2565 */
function priceOf(size: u32, exponentSize: u32): i64 {
  let bits: u32 = 0;
  for (let i: u32 = 0; i < exponentSize && !bits; i++) {
    const byte = <u32>load<u8>(POWER_EXPONENT + i);
    if (byte) bits = (exponentSize - i) * 8 + 24 - clz<u32>(byte);
  }
  const iterations = bits > 1 ? bits - 1 : 1, complexity = load<u32>(MODEXP_COMPLEXITY + (size << 2));
  return max(<i64>(complexity * iterations / load<u32>(MODEXP_DIVISOR)), <i64>load<u32>(MODEXP_MINIMUM));
}

/** Ends the call: output to the caller's region, return data, and whether it succeeded. */
function finish(frame: usize, sp: usize, size: u32, succeeded: bool): void {
  const wanted = min(size, load<u32>(frame, FRAME_OUTPUT_SIZE));
  if (wanted) memory.copy(load<usize>(frame, FRAME_MEMORY) + load<usize>(frame, FRAME_OUTPUT), RETURN_DATA, wanted);
  store<u32>(frame, RETURN_DATA, FRAME_RETURN_DATA);
  store<u32>(frame, size, FRAME_RETURN_DATA_SIZE);
  word.set64(sp - 192, u64(succeeded));
  store<usize>(frame, sp - 160, FRAME_SP);
  store<u32>(frame, load<u32>(frame, FRAME_PC) + 1, FRAME_PC);
}
