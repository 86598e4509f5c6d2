import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigintToFixedBytes, bytesToBigint, concat } from "../../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import { rulesAt } from "../../testing/run-code.ts";
import { type Formula, GENESIS, KORE, modexpGas, OSAKA } from "./gas.ts";
import { headBits, lengthsOf } from "./lengths.ts";
import { modexp, modexpKore, modexpOsaka } from "./modexp.ts";

interface Operands {
  readonly base: Uint8Array;
  readonly exponent: Uint8Array;
  readonly modulus: Uint8Array;
}

const rules = rulesAt("osaka");
const checkDeadline = () => undefined;
const context = { rules, feePayer: new Uint8Array(20), state: {} as StateJournal, checkDeadline };
const length = (value: bigint) => bigintToFixedBytes(value, 32);
const encode = ({ base, exponent, modulus }: Operands) =>
  concat(
    ...[base, exponent, modulus].map((part) => length(BigInt(part.length))),
    ...[base, exponent, modulus],
  );
const run = (input: Uint8Array) => modexp.run(input, context) as Uint8Array;

/** Numbers whose bytes are mostly random, or all the same, or begin or end with zeros, as even ones and those just below 2^n do. */
const number = (maxLength: number) =>
  fc.oneof(
    fc.uint8Array({ maxLength }),
    fc.tuple(fc.nat(maxLength), fc.constantFrom(0, 1, 255)).map(([n, byte]) => new Uint8Array(n).fill(byte)),
    fc
      .tuple(fc.uint8Array({ maxLength: maxLength >> 1 }), fc.nat(maxLength >> 1), fc.boolean())
      .map(([some, zeros, first]) =>
        first ? concat(new Uint8Array(zeros), some) : concat(some, new Uint8Array(zeros)),
      ),
    fc
      .tuple(fc.nat(maxLength), fc.nat(999))
      .filter(([n, c]) => n > 1 || c === 0)
      .map(([n, c]) => bigintToFixedBytes(256n ** BigInt(n) - (n > 0 ? 1n + BigInt(c) : 1n), n)),
  );

function powerByBits({ base, exponent, modulus }: Operands): bigint {
  const m = bytesToBigint(modulus);
  if (m === 0n) return 0n;
  const b = bytesToBigint(base) % m;
  let result = 1n % m;
  for (const bit of exponent.length === 0 ? "" : bytesToBigint(exponent).toString(2)) {
    result = (result * result) % m;
    if (bit === "1") result = (result * b) % m;
  }
  return result;
}

describe("modexp of numbers", () => {
  it.each([
    ["of up to a word", 32, 32, 32],
    ["with moduli around a word", 40, 6, 36],
    ["with long bases", 200, 5, 32],
    ["with long exponents", 32, 90, 33],
    ["longer than a word", 150, 12, 150],
    ["with exponents of more than one piece", 8, 2100, 9],
  ])("agrees with squaring and multiplying: %s", (_, base, exponent, modulus) => {
    const operands = fc.record({
      base: number(base),
      exponent: number(exponent),
      modulus: number(modulus),
    });
    fc.assert(
      fc.property(operands, (each) => {
        expect(run(encode(each))).toEqual(bigintToFixedBytes(powerByBits(each), each.modulus.length));
      }),
      { numRuns: exponent > 1000 ? 40 : 400 },
    );
  });

  it("reads missing bytes as zeros, in the exponent too", () => {
    const operands = fc.record({ base: number(40), exponent: number(40), modulus: number(40) });
    fc.assert(
      fc.property(operands, fc.nat(100), ({ base, exponent, modulus }, missing) => {
        const whole = encode({ base, exponent, modulus });
        const short = whole.subarray(0, Math.max(96, whole.length - missing));
        const padded = concat(short, new Uint8Array(whole.length - short.length));
        expect(run(short)).toEqual(run(padded));
      }),
      { numRuns: 300 },
    );
    expect(run(concat(length(1n), length(1n), length(0n)))).toEqual(new Uint8Array(0));
    expect(run(new Uint8Array(0))).toEqual(new Uint8Array(0));
  });

  it("does not remember anything of the numbers before", () => {
    const input = (modulus: bigint) =>
      encode({ base: length(7n), exponent: Uint8Array.of(3), modulus: length(modulus) });
    for (const modulus of [0n, 1n, 2n, 342n, 343n, 344n, 1n << 255n, 2n ** 256n - 1n, 1n])
      expect(bytesToBigint(run(input(modulus)))).toBe(modulus === 0n ? 0n : 343n % modulus);
  });
});

describe("the price of modexp", () => {
  const size = fc.oneof(
    fc.bigInt(0n, 80n),
    fc.constantFrom(1024n, 1025n, 2n ** 32n, 2n ** 61n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 256n - 1n),
  );
  const inputs = fc
    .tuple(size, size, size, number(120))
    .map(([base, exponent, modulus, rest]) => concat(length(base), length(exponent), length(modulus), rest));
  const contracts: readonly (readonly [Formula, typeof modexp])[] = [
    [GENESIS, modexp],
    [KORE, modexpKore],
    [OSAKA, modexpOsaka],
  ];

  it("depends on nothing but the input, whichever came before", () => {
    fc.assert(
      fc.property(fc.array(inputs, { minLength: 2, maxLength: 6 }), (several) => {
        for (const [formula, contract] of contracts) {
          const fresh = several.map((input) => modexpGas(lengthsOf(input), bitsByBigint(input), formula));
          expect(several.map((input) => contract.gas(input, rules))).toEqual(fresh);
        }
        for (const input of several) expect(headBits(input, lengthsOf(input))).toBe(bitsByBigint(input));
      }),
      { numRuns: 400 },
    );
  });

  it("takes lengths from an input that is shorter than them as zero-padded", () => {
    expect(lengthsOf(Uint8Array.of(1))).toEqual({ base: 1n << 248n, exponent: 0n, modulus: 0n });
    expect(lengthsOf(new Uint8Array(0))).toEqual({ base: 0n, exponent: 0n, modulus: 0n });
    expect(lengthsOf(encode({ base: length(1n), exponent: length(1n), modulus: length(1n) }))).toEqual({
      base: 32n,
      exponent: 32n,
      modulus: 32n,
    });
  });

  function bitsByBigint(input: Uint8Array): number {
    const { base, exponent } = lengthsOf(input);
    if (base >= BigInt(input.length)) return 0;
    const start = 96 + Number(base);
    const padded = concat(input, new Uint8Array(start + 32));
    const head = padded.subarray(start, start + (exponent > 32n ? 32 : Number(exponent)));
    const value = bytesToBigint(head);
    return value === 0n ? 0 : value.toString(2).length;
  }
});
