import type { Rules } from "../../protocol/params/forks.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../state/journal/journal-types.ts";
import type { FrameFailure } from "./failures.ts";

/** Context of a precompile besides its input. */
export interface PrecompileContext {
  readonly rules: Rules;
  readonly feePayer: Address;
  readonly state: StateJournal;
  /**
   * Must be called at least every 10 ms of work. Does nothing if the run has no deadline, as in a block.
   * @throws EvmTimeout when the deadline passed
   */
  readonly checkDeadline: () => void;
}

/** Price of MODEXP for numbers of up to a word: max(complexity · iterations / divisor, minimum). */
export interface WordPowerPrice {
  /** By the bytes of the longer of base and modulus, 0 to 32. */
  readonly complexity: readonly number[];
  readonly divisor: number;
  readonly minimum: number;
  /** For 32 bytes to the power of 2^256 - 1. */
  readonly maximum: number;
}

/** A contract built into the protocol. */
export interface Precompile {
  readonly name: string;
  /** Only of MODEXP: what the interpreter needs to run it by itself. */
  readonly wordPower?: WordPowerPrice;
  gas(input: Uint8Array, rules: Rules): bigint;
  computation(input: Uint8Array, rules: Rules): bigint;
  /** @returns the output, or the failure with which the call consumes all its gas */
  run(input: Uint8Array, context: PrecompileContext): Uint8Array | FrameFailure;
}

/**
 * Finds the precompile at `address`; the table depends on the fork and on the VM version of the calling contract, since
 * istanbul moved Kaia's own precompiles.
 */
export type PrecompileTable = (
  address: Address,
  rules: Rules,
  callerVmVersion: number,
) => Precompile | undefined;
