import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  EMPTY_BYTES,
} from "../../../../protocol/primitives/bytes.ts";
import { rulesAt, word } from "../../testing/run-code.ts";
import { at, run } from "../testing/call.ts";

describe("modexp at its address", () => {
  const encode = (base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array) =>
    concat(...[base, exponent, modulus].map((part) => word(BigInt(part.length))), base, exponent, modulus);

  it("agrees with repeated multiplication", () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, fc.uint8Array({ maxLength: 2 }), bytes, (base, exponent, modulus) => {
        const m = bytesToBigint(modulus);
        let expected = m === 0n ? 0n : 1n % m;
        for (let i = 0n; m !== 0n && i < bytesToBigint(exponent); i++)
          expected = (expected * bytesToBigint(base)) % m;
        expect(run(5, encode(base, exponent, modulus))).toEqual(bigintToFixedBytes(expected, modulus.length));
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ["istanbul", 13_056n],
    ["kore", 1360n],
    ["osaka", 4080n],
  ] as const)("charges for the Fermat test of EIP-198 at %s", (fork, gas) => {
    const p = 2n ** 256n - 2n ** 32n - 977n;
    const input = encode(Uint8Array.of(3), word(p - 1n), word(p));
    expect(at(5, fork)?.gas(input, rulesAt(fork))).toBe(gas);
    expect(at(5, fork)?.computation(input, rulesAt(fork))).toBe(gas / 100n + 100n);
    expect(run(5, input, fork)).toEqual(word(1n));
  });

  it("accepts at most 1024 bytes from osaka on, and caps the gas of absurd lengths", () => {
    const long = encode(new Uint8Array(1025), EMPTY_BYTES, Uint8Array.of(1));
    expect(run(5, long, "prague")).toEqual(Uint8Array.of(0));
    expect(run(5, long, "osaka")).toBeUndefined();
    const endless = concat(word(2n ** 255n), word(1n), word(1n));
    expect(at(5, "kore")?.gas(endless, rulesAt("kore"))).toBe(2n ** 64n - 1n);
  });
});
