import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import type { Precompile } from "../precompile.ts";
import { decodeField, decodeField2, type Fp2, g1, g2, overExactly } from "./bls-points.ts";
import { blsCurve } from "./curves.ts";

/** What `mapToCurve` of the library does; its declaration describes the map before the cofactor is cleared. */
type FieldToPoint<Scalars, F> = (scalars: Scalars) => WeierstrassPoint<F>;

/** Point of the first group for a base field element (address 0x10 from prague). @see EIP-2537 */
export const blsMapToG1: Precompile = {
  name: "BLS12_MAP_FP_TO_G1",
  gas: () => 5500n,
  computation: () => 275_000n,
  run: overExactly(64, (input) => {
    const map = blsCurve().bls12_381.G1.mapToCurve as unknown as FieldToPoint<bigint, bigint>;
    return g1.encode(map(decodeField(input)));
  }),
};

/** Point of the second group for an extension field element (address 0x11 from prague). @see EIP-2537 */
export const blsMapToG2: Precompile = {
  name: "BLS12_MAP_FP2_TO_G2",
  gas: () => 23_800n,
  computation: () => 1_190_000n,
  run: overExactly(128, (input) => {
    const map = blsCurve().bls12_381.G2.mapToCurve as unknown as FieldToPoint<[bigint, bigint], Fp2>;
    const { c0, c1 } = decodeField2(input);
    return g2.encode(map([c0, c1]));
  }),
};
