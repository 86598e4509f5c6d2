import { describe, expect, it } from "vitest";
import { FORKS, type Fork } from "../../../protocol/params/forks.ts";
import type { StepInfo } from "../evm.ts";
import { kaiaRuleSet } from "../tables/kaia-rules.ts";
import { CONTRACT, call, ENGINE_VARIANTS, engine, rulesAt, stateOf } from "../testing/run-code.ts";

// A fork that brings an opcode declares it in a table; these tests fail where the interpreter or the tracer does not know of it.

const NEWEST = FORKS.at(-1) as Fork;
const TABLE = kaiaRuleSet(rulesAt(NEWEST)).opcodes;
const WORD = 32;
/** Fills the first two words of memory. */
const FILL = [
  0x7f,
  ...new Array(WORD).fill(0xaa),
  0x5f,
  0x52,
  0x7f,
  ...new Array(WORD).fill(0xbb),
  0x60,
  WORD,
  0x52,
];
const INPUT = new Uint8Array(2 * WORD).fill(0xcc);

/** Code that pushes operands, the last on top, and runs one opcode. */
function withOperands(opcode: number, operands: readonly number[]): Uint8Array {
  return Uint8Array.from([...FILL, ...operands.flatMap((operand) => [0x60, operand]), opcode, 0]);
}

const rows = TABLE.flatMap((row, opcode) => (row ? [[row.name, opcode, row] as const] : []));

describe.each(ENGINE_VARIANTS.map((variant, number) => [number, engine(variant)] as const))(
  "engine %d",
  (_, evm) => {
    it.each(rows)("runs %s, opcode %i", (_name, opcode, { pops }) => {
      const code = withOperands(opcode, new Array(pops).fill(0));
      const { error } = call(stateOf({ [CONTRACT]: { code } }), { fork: NEWEST, evm, gas: 10_000_000n });
      expect(error ?? "").not.toMatch(/^invalid opcode/);
    });
  },
);

/** All operands of an opcode, of which each is 0 or a word's length. */
function* operandsOf(pops: number): Generator<number[]> {
  for (let bits = 0; bits < 2 ** pops; bits++)
    yield Array.from({ length: pops }, (_, i) => ((bits >> i) & 1) * WORD);
}

describe("a tracer", () => {
  it.each(rows.filter(([, , { pops }]) => pops <= 4))(
    "sees the memory before %s has written",
    (_name, opcode, { pops }) => {
      for (const operands of operandsOf(pops)) {
        const code = withOperands(opcode, operands);
        const last = code.length - 2;
        let seen: StepInfo | undefined;
        const step = (info: StepInfo): void => {
          if (info.pc === last && info.depth === 1)
            seen = { ...info, memory: info.memory.slice(0, 2 * WORD) };
        };
        call(stateOf({ [CONTRACT]: { code } }), { fork: NEWEST, input: INPUT, tracer: { step } });
        expect(seen?.memory, `with ${operands}`).toEqual(
          Uint8Array.from([...new Array(WORD).fill(0xaa), ...new Array(WORD).fill(0xbb)]),
        );
      }
    },
  );
});
