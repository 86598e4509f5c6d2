import { type Failure, vmError } from "../failures.ts";
import type { Precompile } from "../precompile.ts";

/** Gas and computation cost of one run. */
export interface Price {
  readonly gas: number;
  readonly computation: number;
}

/** A precompile whose price depends on nothing but its input's length, and whose run needs nothing but its input. */
export function pure(
  name: string,
  price: (length: number) => Price,
  run: (input: Uint8Array) => Uint8Array | Failure,
): Precompile {
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

/** A `run` that fails the call, with the text of what was thrown, when `compute` throws. */
export function orFail(compute: (input: Uint8Array) => Uint8Array | Failure): Precompile["run"] {
  return (input) => {
    try {
      return compute(input);
    } catch (error) {
      return vmError(error instanceof Error ? error.message : "invalid input");
    }
  };
}

/** For inputs that are not as long as they must be. */
export const WRONG_LENGTH: Failure = vmError("invalid input length");
/** What decoders throw for a coordinate that is not below the order of its field. */
export const NOT_CANONICAL = "invalid fp.Element encoding";
