import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * A module that is loaded synchronously by the first call and then cached.
 *
 * A curve library takes some 30 ms to load, a fifth of the start-up budget of a node, and most chains never need it.
 * Precompiles run synchronously, so `import()` is not an option; Node ≥ 20.19 loads an ES module with
 * `require`, which yields the same instance as `import`.
 */
export function lazyModule<T>(specifier: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(specifier) as T;
    return loaded;
  };
}

/** The NIST curves. */
export const nistCurves = lazyModule<typeof import("@noble/curves/nist.js")>("@noble/curves/nist.js");
