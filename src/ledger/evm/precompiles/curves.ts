import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * A module that is loaded, synchronously, by the first call and remembered.
 *
 * The curve libraries take about 70 ms to load, half the start-up budget of a node, and most chains never call them.
 * A precompile runs inside a synchronous engine, so `import()` is no choice; Node ≥ 20.19 loads an ES module by
 * `require` and gives the same instance as `import`.
 */
export function lazyModule<T>(specifier: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(specifier) as T;
    return loaded;
  };
}

/** The BN254 (alt_bn128) curve and its pairing. */
export const bn254Curve = lazyModule<typeof import("@noble/curves/bn254.js")>("@noble/curves/bn254.js");
/** The BLS12-381 curve and its pairing. */
export const blsCurve = lazyModule<typeof import("@noble/curves/bls12-381.js")>("@noble/curves/bls12-381.js");
/** The NIST curves. */
export const nistCurves = lazyModule<typeof import("@noble/curves/nist.js")>("@noble/curves/nist.js");

/** Arithmetic that works on any of the curves. */
export const curveArithmetic = lazyModule<typeof import("@noble/curves/abstract/curve.js")>(
  "@noble/curves/abstract/curve.js",
);

/** Loads the curve libraries in turn, each in its own turn of the event loop, so that the first call does not wait. */
export async function preloadCurves(): Promise<void> {
  await import("@noble/curves/bn254.js");
  await import("@noble/curves/bls12-381.js");
  await import("@noble/curves/nist.js");
}
