import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToBigint, concat } from "../../../../protocol/primitives/bytes.ts";
import { assemble } from "../../testing/assemble.ts";
import { CONTRACT, call, engine, stateOf, word } from "../../testing/run-code.ts";
import { OPS, operand } from "../../testing/word-operations.ts";
import { createInlineCompiler } from "./code-compiler.ts";

const evm = engine({ compiler: createInlineCompiler("always") });

/** Runs a program with the operands as input, all of it compiled. */
function run(source: string, operands: readonly bigint[]): bigint {
  const state = stateOf({ [CONTRACT]: { code: assemble(source) } });
  return bytesToBigint(call(state, { evm, input: concat(...operands.map(word)) }).output);
}

/** Pushes the operands, the last one first: as constants where `mask` has their bit, else from the input. */
function pushed(operands: readonly bigint[], mask: number): string {
  const sources = operands.map((value, i) => ((mask >> i) & 1 ? `${value}` : `${i * 32} CALLDATALOAD`));
  return sources.reverse().join(" ");
}

const cases = fc.tuple(operand, operand, operand, fc.integer({ min: 0, max: 7 }));

describe("compiled operations on constant and other words", () => {
  it.each(Object.entries(OPS))("%s agrees with BigInt", (name, expected) => {
    fc.assert(
      fc.property(cases, ([a, b, c, mask]) => {
        const source = `${pushed([a, b, c], mask)} ${name} 0 MSTORE 32 0 RETURN`;
        expect(run(source, [a, b, c])).toBe(expected(a, b, c));
      }),
      { numRuns: 25 },
    );
  });

  it.each(["LT", "GT", "SLT", "SGT", "EQ", "ISZERO", "AND", "SUB"])(
    "a jump on %s, and on its opposite",
    (name) => {
      const jump = (test: string) => `${test} @yes JUMPI 8 0 MSTORE 32 0 RETURN yes: 9 0 MSTORE 32 0 RETURN`;
      fc.assert(
        fc.property(cases, ([a, b, c, mask]) => {
          const isTaken = OPS[name]?.(a, b, c) !== 0n;
          const test = `${pushed([a, b, c], mask)} ${name}`;
          expect(run(jump(test), [a, b, c])).toBe(isTaken ? 9n : 8n);
          expect(run(jump(`${test} ISZERO`), [a, b, c])).toBe(isTaken ? 8n : 9n);
          // more comparisons in between than are cached for jumps, and the word is used elsewhere too
          const others =
            "1 2 LT POP 1 2 GT POP CALLVALUE 1 EQ CALLVALUE 2 EQ CALLVALUE 3 EQ CALLVALUE 4 EQ CALLVALUE 5 EQ";
          expect(run(jump(`${test} ${others} POP POP POP POP POP`), [a, b, c])).toBe(isTaken ? 9n : 8n);
          expect(run(jump(`${test} DUP1 ISZERO ISZERO SUB ISZERO`), [a, b, c])).toBe(
            (OPS[name]?.(a, b, c) ?? 0n) > 1n ? 8n : 9n,
          );
        }),
        { numRuns: 25 },
      );
    },
  );
});
