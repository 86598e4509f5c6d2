import { bls12381 } from "../../../../protocol/crypto/mcl/bls12-381.ts";
import type { Precompile } from "../../precompile.ts";
import { decodeFields, encodePoint, g1, g2, requireLength } from "./points.ts";

/** Point of the first group for a base field element (address 0x10 from prague). @see EIP-2537 */
export const blsMapToG1: Precompile = {
  name: "BLS12_MAP_FP_TO_G1",
  gas: () => 5500n,
  computation: () => 275_000n,
  run: requireLength(64, (input) => encodePoint(g1, bls12381().mapToG1(decodeFields(input)))),
};

/** Point of the second group for an extension field element (address 0x11 from prague). @see EIP-2537 */
export const blsMapToG2: Precompile = {
  name: "BLS12_MAP_FP2_TO_G2",
  gas: () => 23_800n,
  computation: () => 1_190_000n,
  run: requireLength(128, (input) => encodePoint(g2, bls12381().mapToG2(decodeFields(input)))),
};
