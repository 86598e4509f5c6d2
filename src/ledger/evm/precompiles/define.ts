import { type FrameFailure, vmError } from "../failures.ts";
import type { Precompile, PrecompileContext } from "../precompile.ts";

/** Gas and computation cost of one run. */
export interface Price {
  readonly gas: number;
  readonly computation: number;
}

/** A precompile whose price depends only on the length of its input. */
export function pure(name: string, price: (length: number) => Price, run: Precompile["run"]): Precompile {
  return {
    name,
    gas: (input) => BigInt(price(input.length).gas),
    computation: (input) => BigInt(price(input.length).computation),
    run,
  };
}

/** A price that is the same for every input. */
export function flat(gas: number, computation: number): () => Price {
  const price = { gas, computation };
  return () => price;
}

/** The input of a precompile is invalid; the call fails with the message. */
export class InvalidInput extends Error {}

/** A `run` that fails the call when `compute` throws `InvalidInput`; other errors are rethrown. */
export function failOnInvalidInput(
  compute: (input: Uint8Array, context: PrecompileContext) => Uint8Array | FrameFailure,
): Precompile["run"] {
  return (input, context) => {
    try {
      return compute(input, context);
    } catch (error) {
      if (error instanceof InvalidInput) return vmError(error.message);
      throw error;
    }
  };
}

/** Failure for an input of the wrong length. */
export const WRONG_LENGTH: FrameFailure = vmError("invalid input length");
/** Error text for a coordinate that is not below the order of its field. */
export const NOT_CANONICAL = "invalid fp.Element encoding";
