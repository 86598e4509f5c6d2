import type { Precompile } from "../../precompile.ts";
import { blsG1Add, blsG1MultiScalar, blsG2Add, blsG2MultiScalar } from "./arithmetic.ts";
import { blsMapToG1, blsMapToG2 } from "./map.ts";
import { blsPairing } from "./pairing.ts";

/** The operations on BLS12-381 by address number, from prague on. @see EIP-2537 */
export const BLS_PRECOMPILES: readonly (readonly [number, Precompile])[] = [
  [0x0b, blsG1Add],
  [0x0c, blsG1MultiScalar],
  [0x0d, blsG2Add],
  [0x0e, blsG2MultiScalar],
  [0x0f, blsPairing],
  [0x10, blsMapToG1],
  [0x11, blsMapToG2],
];
