import type { WeierstrassPoint } from "@noble/curves/abstract/weierstrass.js";
import type { Precompile } from "../precompile.ts";
import { type Fp2, g1, g2, inSubgroup, overUnits } from "./bls-points.ts";
import { blsCurve } from "./curves.ts";
import { booleanWord } from "./input.ts";

const PAIR_SIZE = g1.size + g2.size;

/** Pairs of points whose product of pairings is asked for. */
export type Pairs = { g1: WeierstrassPoint<bigint>; g2: WeierstrassPoint<Fp2> }[];

/** Whether the product of pairings is one (address 0x0f from prague). Input: pairs of a G1 and a G2 point. @see EIP-2537 */
export const blsPairing: Precompile = {
  name: "BLS12_PAIRING_CHECK",
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / PAIR_SIZE)),
  computation: (input) => 1_885_000n + 1_630_000n * BigInt(Math.floor(input.length / PAIR_SIZE)),
  run: overUnits(PAIR_SIZE, (input) => {
    const pairs: Pairs = [];
    for (let at = 0; at < input.length; at += PAIR_SIZE) {
      const middle = at + g1.size;
      const left = g1.decode(input.subarray(at, middle));
      const right = g2.decode(input.subarray(middle, at + PAIR_SIZE));
      pairs.push({ g1: inSubgroup(left, g1), g2: inSubgroup(right, g2) });
    }
    return booleanWord(productIsOne(pairs));
  }),
};

/** Whether the product of the pairings is one; a pair with a point at infinity counts as one. */
export function productIsOne(pairs: Pairs): boolean {
  const { bls12_381 } = blsCurve();
  const finite = pairs.filter((pair) => !pair.g1.is0() && !pair.g2.is0());
  const { Fp12 } = bls12_381.fields;
  return Fp12.eql(bls12_381.pairingBatch(finite), Fp12.ONE);
}
