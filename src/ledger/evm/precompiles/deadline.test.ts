import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { describe, expect, it } from "vitest";
import { sign } from "../../../protocol/crypto/secp256k1.ts";
import { FORKS, type Rules } from "../../../protocol/params/forks.ts";
import { bigintToFixedBytes, concat } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { EvmTimeout } from "../evm.ts";
import { activePrecompiles } from "./index.ts";

const active = Object.fromEntries(FORKS.map((fork) => [fork, true]));
const rules = { chainId: 1n, level: FORKS.length, ...active } as unknown as Rules;
const early = { ...rules, osaka: false } as unknown as Rules;
const word = (value: bigint, size = 32) => bigintToFixedBytes(value, size);
const many = (count: number, part: Uint8Array) => concat(...Array.from({ length: count }, () => part));
const modexp = (base: number, exponent: number, modulus: number) =>
  concat(
    ...[base, exponent, modulus].map((length) => word(BigInt(length))),
    new Uint8Array(base + exponent + modulus).fill(0xff),
  );
const bnPair = () => {
  const [p, q] = [bn254.G1.Point.BASE, bn254.G2.Point.BASE];
  return concat(...[p.x, p.y, q.x.c1, q.x.c0, q.y.c1, q.y.c0].map((part) => word(part)));
};
const [bls1, bls2] = [bls12_381.G1.Point.BASE, bls12_381.G2.Point.BASE];
const g1 = concat(...[bls1.x, bls1.y].map((part) => word(part, 64)));
const g2 = concat(...[bls2.x.c0, bls2.x.c1, bls2.y.c0, bls2.y.c1].map((part) => word(part, 64)));
const hash = new Uint8Array(32).fill(3);
const { r, s, parity } = sign(hash, new Uint8Array(32).fill(7));
const signature = concat(word(r), word(s), Uint8Array.of(parity));
const rounds = Uint8Array.from({ length: 213 }, (_, i) => [0, 200, 0, 0][i] ?? 0);

describe("a long-running precompile", () => {
  it.each([
    ["sha256", 0x02, new Uint8Array(2_000_000), rules],
    ["ripemd160", 0x03, new Uint8Array(2_000_000), rules],
    ["modexp with a long exponent", 0x05, modexp(8, 400_000, 8), early],
    ["modexp with long numbers", 0x05, modexp(4096, 4096, 4096), early],
    ["BN254 pairing", 0x08, many(100, bnPair()), rules],
    ["BLAKE2 rounds", 0x09, rounds, rules],
    ["G1 multi-scalar multiplication", 0x0c, many(100, concat(g1, word(7n))), rules],
    ["G2 multi-scalar multiplication", 0x0e, many(100, concat(g2, word(7n))), rules],
    ["BLS12-381 pairing", 0x0f, many(30, concat(g1, g2)), rules],
    ["validateSender", 0x3ff, concat(new Uint8Array(20), hash, many(9, signature)), rules],
  ] as const)("can be aborted: %s", (_, number, input, at) => {
    let checks = 0;
    const checkDeadline = () => {
      if (++checks === 3) throw new EvmTimeout("EVM_TIMEOUT", "execution timed out");
    };
    const context = { rules: at, feePayer: new Uint8Array(20), state: {} as StateJournal, checkDeadline };
    expect(() => activePrecompiles(at).get(number)?.run(input, context)).toThrow(EvmTimeout);
  });
});
