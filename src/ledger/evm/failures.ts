import type { Outcome } from "./evm.ts";

/** Why a frame failed. */
export interface FrameFailure {
  readonly outcome: Exclude<Outcome, "success">;
  /** Error text of the reference node. */
  readonly text: string;
  /** Whether the caller gets the remaining gas back. */
  readonly keepsGas?: boolean;
  /** Whether the frame's state changes are kept. */
  readonly keepsState?: boolean;
}

/** REVERT: state changes are undone, remaining gas is returned to the caller. */
export const REVERTED: FrameFailure = { outcome: "revert", text: "evm: execution reverted", keepsGas: true };
/** The next opcode or its memory expansion costs more than the gas left. */
export const OUT_OF_GAS: FrameFailure = { outcome: "outOfGas", text: "out of gas" };
/** The computation cost exceeds the limit of a transaction. */
export const COMPUTATION_LIMIT: FrameFailure = {
  outcome: "computationLimit",
  text: "reached the opcode computation cost limit",
};

/** A state change within a STATICCALL. */
export const WRITE_PROTECTION: FrameFailure = { outcome: "writeProtection", text: "evm: write protection" };
/** A call deeper than 1,024 frames. */
export const CALL_DEPTH: FrameFailure = {
  outcome: "callDepth",
  text: "max call depth exceeded",
  keepsGas: true,
};
/** The caller's balance is below the value of the call. */
export const INSUFFICIENT_BALANCE: FrameFailure = {
  outcome: "insufficientBalance",
  text: "insufficient balance for transfer",
  keepsGas: true,
};

/** A creation at an address that is reserved for precompiled contracts. */
export const RESERVED_ADDRESS: FrameFailure = {
  outcome: "reservedAddress",
  text: "the address is reserved for pre-compiled contracts",
  keepsGas: true,
};

/** The creator's nonce is 2⁶⁴ − 1 (EIP-2681). */
export const NONCE_OVERFLOW: FrameFailure = {
  outcome: "vmError",
  text: "nonce uint64 overflow",
  keepsGas: true,
};
/** A creation at the address of an account with code or a nonce (EIP-684). */
export const ADDRESS_COLLISION: FrameFailure = {
  outcome: "addressCollision",
  text: "contract address collision",
};

/** The remaining gas does not cover the code deposit. */
export const CODE_STORE_OUT_OF_GAS: FrameFailure = {
  outcome: "codeStoreOutOfGas",
  text: "contract creation code storage out of gas",
};

/** The returned code is longer than EIP-170 allows. */
export const MAX_CODE_SIZE: FrameFailure = { outcome: "maxCodeSize", text: "evm: max code size exceeded" };
/** The returned code begins with 0xef (EIP-3541). */
export const EF_CODE: FrameFailure = { outcome: "vmError", text: "invalid code: must not begin with 0xef" };
/**
 * From kore until prague the check came after the code was stored: the creation fails, yet code and gas are kept.
 * Measured on reference node v2.2.1.
 */
export const EF_CODE_LATE: FrameFailure = { ...EF_CODE, keepsGas: true, keepsState: true };
/** A jump to anything but a JUMPDEST outside PUSH data. */
export const BAD_JUMP: FrameFailure = { outcome: "vmError", text: "evm: invalid jump destination" };
/** RETURNDATACOPY beyond the end of the return data (EIP-211). */
export const RETURN_DATA_BOUNDS: FrameFailure = {
  outcome: "vmError",
  text: "evm: return data out of bounds",
};
/** A memory size or cost of 2⁶⁴ or more. */
export const GAS_OVERFLOW: FrameFailure = { outcome: "vmError", text: "gas uint64 overflow" };

/** A failure with a variable text: one that includes stack height or opcode, or that of a precompile. */
export function vmError(text: string): FrameFailure {
  return { outcome: "vmError", text };
}
