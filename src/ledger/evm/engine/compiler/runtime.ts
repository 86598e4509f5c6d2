import { I32, I64 } from "../../../../protocol/wasm/code.ts";

/**
 * Functions of the interpreter's module that compiled code calls; arguments are addresses of words, the destination first.
 * The order defines their indexes in compiled modules.
 */
const FUNCTIONS = {
  /** `step(frame)`: runs the opcode at pc, whose static costs are charged; returns an exit. */
  step: [[I32], [I32]],
  /** `mul(product, a, b)` */
  mul: [[I32, I32, I32], []],
  /** `udivmod(quotient, remainder, dividend, divisor)`; either destination may be 0 = not needed. */
  udivmod: [[I32, I32, I32, I32], []],
  sdivmod: [[I32, I32, I32, I32], []],
  /** `addmod(remainder, a, b, modulus)` */
  addmod: [[I32, I32, I32, I32], []],
  mulmod: [[I32, I32, I32, I32], []],
  /** `loadPadded(word, source, size)`: replaces an offset by the 32 bytes at it, zero-padded. */
  loadPadded: [[I32, I32, I32], []],
  /** `keccak256(hash, data, size)` */
  keccak256: [[I32, I32, I32], []],
  /** `sload(frame, key, gas)`: replaces a key by the value of its slot; returns the gas left, negative if nothing was done. */
  sload: [[I32, I32, I64], [I64]],
  /** `sstore(frame, key, value, gas)`: returns the gas left, negative if nothing was done. */
  sstore: [[I32, I32, I32, I64], [I64]],
} as const;

/** Name of a runtime function. */
export type RuntimeFunction = keyof typeof FUNCTIONS;

/** The functions in order, with the types of their parameters and results. */
export const RUNTIME_FUNCTIONS = Object.entries(FUNCTIONS) as readonly (readonly [
  RuntimeFunction,
  readonly [readonly number[], readonly number[]],
])[];

/** Index of a function in compiled modules. */
export function runtimeIndex(name: RuntimeFunction): number {
  return RUNTIME_FUNCTIONS.findIndex(([known]) => known === name);
}

/** Type of a part: (frame, block, gas at which it yields) → exit. */
export const PART_TYPE = [[I32, I32, I64], [I32]] as const;
/** Type of a program: (frame, quantum) → exit. */
export const PROGRAM_TYPE = [[I32, I32], [I32]] as const;
