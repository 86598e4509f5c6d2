import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToBigint, concat } from "../../../protocol/primitives/bytes.ts";
import { assemble } from "../testing/assemble.ts";
import { CONTRACT, call, stateOf, word } from "../testing/run-code.ts";
import { edgy, limb, OPS, operand, u } from "../testing/word-operations.ts";

describe("word arithmetic", () => {
  it.each(Object.entries(OPS))("%s agrees with BigInt", (name, expected) => {
    const code = assemble(`64 CALLDATALOAD 32 CALLDATALOAD 0 CALLDATALOAD ${name} 0 MSTORE 32 0 RETURN`);
    const state = stateOf({ [CONTRACT]: { code } });
    fc.assert(
      fc.property(operand, operand, operand, (a, b, c) => {
        const { output } = call(state, { input: concat(word(a), word(b), word(c)) });
        expect(bytesToBigint(output)).toBe(expected(a, b, c));
      }),
      { numRuns: 200 },
    );
  });

  it("MULMOD agrees for a modulus just below 2^256", () => {
    const code = assemble("64 CALLDATALOAD 32 CALLDATALOAD 0 CALLDATALOAD MULMOD 0 MSTORE 32 0 RETURN");
    const state = stateOf({ [CONTRACT]: { code } });
    const below = fc.oneof(
      fc.constantFrom(1n, 2n, 977n, (1n << 32n) + 977n, (1n << 64n) - 1n, 1n << 64n),
      limb,
    );
    const factor = fc.oneof(
      operand,
      fc.bigInt(1n, 1n << 64n).map((x) => u(-x)),
      fc.tuple(edgy, below).map(([x, c]) => u(x * ((1n << 256n) - c))),
    );
    fc.assert(
      fc.property(factor, factor, below, (a, b, c) => {
        const modulus = u(-c);
        const { output } = call(state, { input: concat(word(a), word(b), word(modulus)) });
        expect(bytesToBigint(output)).toBe(modulus ? (a * b) % modulus : 0n);
      }),
      { numRuns: 2000 },
    );
  });

  /** Near a multiple of b, where an estimated quotient digit is most often off by one. */
  const nearMultiple = fc
    .tuple(edgy, edgy, fc.bigInt(-2n, 2n))
    .map(([b, factor, off]) => [u(b * factor + off), b, factor] as const);
  it.each(["DIV", "SDIV", "MOD", "SMOD", "ADDMOD", "MULMOD"])("%s agrees near multiples", (name) => {
    const code = assemble(`64 CALLDATALOAD 32 CALLDATALOAD 0 CALLDATALOAD ${name} 0 MSTORE 32 0 RETURN`);
    const state = stateOf({ [CONTRACT]: { code } });
    fc.assert(
      fc.property(nearMultiple, ([a, b, factor]) => {
        const operands = name === "ADDMOD" || name === "MULMOD" ? [a, factor, b] : [a, b, factor];
        const { output } = call(state, { input: concat(...operands.map(word)) });
        expect(bytesToBigint(output)).toBe(OPS[name]?.(...(operands as [bigint, bigint, bigint])));
      }),
      { numRuns: 500 },
    );
  });
});
