// The most expensive input of each precompile: nanoseconds per gas, and for a million gas. `npx tsx bench/evm/precompiles.bench.ts`
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bn254 } from "@noble/curves/bn254.js";
import { activePrecompiles } from "../../src/ledger/evm/precompiles/index.ts";
import { sign } from "../../src/protocol/crypto/secp256k1.ts";
import { FORKS, type Rules } from "../../src/protocol/params/forks.ts";
import { bigintToFixedBytes, concat } from "../../src/protocol/primitives/bytes.ts";

const forks = Object.fromEntries(FORKS.map((fork) => [fork, true]));
const osaka = { chainId: 1n, level: FORKS.length, ...forks } as unknown as Rules;
const prague = { ...osaka, osaka: false } as unknown as Rules;
const context = (rules: Rules) => ({
  rules,
  feePayer: new Uint8Array(20),
  state: { account: () => undefined } as never,
  checkDeadline: () => undefined,
});
const word = (value: bigint, size = 32) => bigintToFixedBytes(value, size);
const full = (size: number) => new Uint8Array(size).fill(0xff);
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

const bn1 = (k: bigint) => {
  const { x, y } = bn254.G1.Point.BASE.multiply(k).toAffine();
  return concat(word(x), word(y));
};
const bn2 = (k: bigint) => {
  const { x, y } = bn254.G2.Point.BASE.multiply(k).toAffine();
  return concat(...[x.c1, x.c0, y.c1, y.c0].map((part) => word(part)));
};
const bls1 = (k: bigint) => {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(k).toAffine();
  return concat(word(x, 64), word(y, 64));
};
const bls2 = (k: bigint) => {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(k).toAffine();
  return concat(...[x.c0, x.c1, y.c0, y.c1].map((part) => word(part, 64)));
};
const modexp = (base: number, exponent: Uint8Array, modulus: number) =>
  concat(
    ...[base, exponent.length, modulus].map((length) => word(BigInt(length))),
    full(base),
    exponent,
    full(modulus),
  );
const hash = new Uint8Array(32).fill(3);
const { r, s, parity } = sign(hash, new Uint8Array(32).fill(7));
const kzg = () => {
  const commitment = bls12_381.G1.Point.BASE.multiply(9n).toBytes();
  const versioned = activePrecompiles(osaka).get(2)?.run(commitment, context(osaka)) as Uint8Array;
  versioned[0] = 1;
  return concat(versioned, word(5n), word(9n), commitment, Uint8Array.of(0xc0), new Uint8Array(47));
};

const rows: [name: string, number: number, input: Uint8Array, rules?: Rules][] = [
  ["ecrecover", 1, concat(hash, word(27n + BigInt(parity)), word(r), word(s))],
  ["sha256, 1 MB", 2, full(1_000_000)],
  ["ripemd160, 1 MB", 3, full(1_000_000)],
  ["identity, 1 MB", 4, full(1_000_000)],
  ["modexp 32/32/32", 5, modexp(32, full(32), 32)],
  ["modexp 1024/1024/1024", 5, modexp(1024, full(1024), 1024)],
  ["modexp 1/1024/1", 5, modexp(1, full(1024), 1)],
  ["modexp 32/32/32, prague", 5, modexp(32, full(32), 32), prague],
  ["modexp 8/100,000/8, prague", 5, modexp(8, full(100_000), 8), prague],
  ["modexp 64 KB/1/64 KB, prague", 5, modexp(65_536, full(1), 65_536), prague],
  ["bn254 add", 6, concat(bn1(5n), bn1(6n))],
  ["bn254 mul", 7, concat(bn1(5n), full(32))],
  ["bn254 pairing, 1", 8, concat(bn1(5n), bn2(6n))],
  ["bn254 pairing, 64", 8, concat(...times(64, (i) => concat(bn1(BigInt(i + 2)), bn2(6n))))],
  [
    "blake2f, 1 M rounds",
    9,
    Uint8Array.from({ length: 213 }, (_, i) => [0, 15, 66, 64][i] ?? (i < 212 ? i : 1)),
  ],
  ["point evaluation", 0x0a, kzg()],
  ["bls g1 add", 0x0b, concat(bls1(5n), bls1(6n))],
  ["bls g1 msm, 1", 0x0c, concat(bls1(5n), full(32))],
  ["bls g1 msm, 128", 0x0c, concat(...times(128, (i) => concat(bls1(BigInt(i + 2)), full(32))))],
  ["bls g2 add", 0x0d, concat(bls2(5n), bls2(6n))],
  ["bls g2 msm, 1", 0x0e, concat(bls2(5n), full(32))],
  ["bls g2 msm, 128", 0x0e, concat(...times(128, (i) => concat(bls2(BigInt(i + 2)), full(32))))],
  ["bls pairing, 1", 0x0f, concat(bls1(5n), bls2(6n))],
  ["bls pairing, 16", 0x0f, concat(...times(16, (i) => concat(bls1(BigInt(i + 2)), bls2(6n))))],
  ["bls map to g1", 0x10, word(42n, 64)],
  ["bls map to g2", 0x11, concat(word(42n, 64), word(43n, 64))],
  ["p256 verify", 0x100, concat(hash, word(r), word(s), P256_KEY())],
  [
    "validate sender, 100",
    0x3ff,
    concat(new Uint8Array(20), hash, ...times(100, () => concat(word(r), word(s), Uint8Array.of(parity)))),
  ],
];

for (const [name, number, input, rules = osaka] of rows) {
  const precompile = activePrecompiles(rules).get(number);
  if (precompile === undefined) throw new Error(name);
  const gas = Number(precompile.gas(input, rules));
  const output = precompile.run(input, context(rules));
  if (!(output instanceof Uint8Array)) throw new Error(`${name}: ${output.text}`);
  let best = Number.POSITIVE_INFINITY;
  const until = performance.now() + 400;
  let runs = 0;
  while (performance.now() < until || runs < 3) {
    const began = performance.now();
    precompile.run(input, context(rules));
    best = Math.min(best, performance.now() - began);
    runs++;
  }
  const perGas = (best * 1e6) / gas;
  console.log(
    `${name.padEnd(30)} ${best.toFixed(3).padStart(9)} ms ${String(gas).padStart(9)} gas ${perGas.toFixed(1).padStart(7)} ns/gas`,
  );
}

/** The generator of secp256r1: a valid key, whatever the signature. */
function P256_KEY(): Uint8Array {
  return concat(
    word(0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n),
    word(0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n),
  );
}
