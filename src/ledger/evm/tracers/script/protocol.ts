/** Size of the memory shared by the script and the node: registers, a word in four limbs, a word in bytes. */
export const SHARED_SIZE = 192;
/** Offsets of the word in limbs, least significant first, and of the word in bytes, most significant first. */
export const SHARED_WORDS = 128;
export const SHARED_BYTES = 160;

/** Indexes of the registers, 64-bit floats. As in assets/tracers/objects.js. */
export const Register = {
  /** Whether the last call ended without an error. */
  done: 0,
  pc: 1,
  gas: 2,
  cost: 3,
  depth: 4,
  refund: 5,
  op: 6,
  height: 7,
  /** Whether the step failed. */
  failed: 8,
  a: 9,
  b: 10,
  out: 11,
  what: 12,
  /** A word that a float holds exactly; the limbs are then meaningless. */
  small: 13,
} as const;

/** Requests from a script to the node. As in assets/tracers/objects.js. */
export const HostRequest = {
  fail: 0,
  opName: 1,
  error: 2,
  peek: 3,
  memory: 4,
  memoryWord: 5,
  caller: 6,
  address: 7,
  value: 8,
  input: 9,
  balance: 10,
  nonce: 11,
  code: 12,
  slot: 13,
  exists: 14,
  contract: 15,
  contract2: 16,
  frameType: 17,
  frameFrom: 18,
  frameTo: 19,
  frameInput: 20,
  frameGas: 21,
  frameValue: 22,
  exitGas: 23,
  exitOutput: 24,
  exitError: 25,
  context: 26,
  contextFrom: 27,
  contextTo: 28,
  contextInput: 29,
  contextOutput: 30,
} as const;

/** The node's response: bytes and strings as values, everything else in the registers and words. */
export type HostResponse = Uint8Array | string | undefined;
