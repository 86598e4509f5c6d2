import { bls12381 } from "../../../../protocol/crypto/mcl/bls12-381.ts";
import type { PointAddress } from "../../../../protocol/crypto/mcl/group.ts";
import type { Precompile } from "../../precompile.ts";
import { booleanWord } from "../input.ts";
import { decodeMember, g1, g2, requireUnits } from "./points.ts";

const PAIR_SIZE = g1.size + g2.size;

/** Whether the product of pairings is one (address 0x0f from prague). Input: pairs of a G1 and a G2 point. @see EIP-2537 */
export const blsPairing: Precompile = {
  name: "BLS12_PAIRING_CHECK",
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / PAIR_SIZE)),
  computation: (input) => 1_885_000n + 1_630_000n * BigInt(Math.floor(input.length / PAIR_SIZE)),
  run: requireUnits(PAIR_SIZE, (input, checkDeadline) => {
    const readPair = (index: number, p: PointAddress, q: PointAddress) => {
      const at = index * PAIR_SIZE;
      decodeMember(g1, p, input.subarray(at, at + g1.size));
      decodeMember(g2, q, input.subarray(at + g1.size, at + PAIR_SIZE));
    };
    return booleanWord(bls12381().productIsOne(input.length / PAIR_SIZE, readPair, checkDeadline));
  }),
};
