import { I32, I64 } from "../../../../protocol/wasm/code.ts";

/**
 * What compiled code calls in the interpreter's module: functions over addresses of words, the destination first. The
 * order gives their numbers in compiled modules.
 */
const FUNCTIONS = {
  /** `step(frame)`: runs the opcode at pc, whose static costs are paid; an exit. */
  step: [[I32], [I32]],
  /** `mul(product, a, b)` */
  mul: [[I32, I32, I32], []],
  /** `udivmod(quotient, remainder, dividend, divisor)`; either result may be 0: not wanted. */
  udivmod: [[I32, I32, I32, I32], []],
  sdivmod: [[I32, I32, I32, I32], []],
  /** `addmod(remainder, a, b, modulus)` */
  addmod: [[I32, I32, I32, I32], []],
  mulmod: [[I32, I32, I32, I32], []],
  /** `loadPadded(word, source, size)`: replaces an offset by the 32 bytes there. */
  loadPadded: [[I32, I32, I32], []],
  /** `keccak256(hash, data, size)` */
  keccak256: [[I32, I32, I32], []],
  /** `sload(frame, key, gas)`: replaces a key by the value of its slot; the gas left, negative where nothing was done. */
  sload: [[I32, I32, I64], [I64]],
  /** `sstore(frame, key, value, gas)`: the gas left, negative where nothing was done. */
  sstore: [[I32, I32, I32, I64], [I64]],
} as const;

/** Name of a function of the runtime. */
export type RuntimeFunction = keyof typeof FUNCTIONS;

/** The functions in order, with the types of what they take and give. */
export const RUNTIME_FUNCTIONS = Object.entries(FUNCTIONS) as readonly (readonly [
  RuntimeFunction,
  readonly [readonly number[], readonly number[]],
])[];

/** Number of a function in every compiled module. */
export function runtimeIndex(name: RuntimeFunction): number {
  return RUNTIME_FUNCTIONS.findIndex(([known]) => known === name);
}

/** Type of a part: (frame, block, gas at which it yields) → exit. */
export const PART_TYPE = [[I32, I32, I64], [I32]] as const;
/** Type of a program: (frame, quantum) → exit. */
export const PROGRAM_TYPE = [[I32, I32], [I32]] as const;
