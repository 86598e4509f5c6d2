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
  run: (input: Uint8Array) => Uint8Array | undefined,
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
