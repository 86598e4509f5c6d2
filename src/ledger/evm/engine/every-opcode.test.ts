import { describe, expect, it } from "vitest";
import { FORKS, type Fork } from "../../../protocol/params/forks.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { StepInfo, StepView, StepWatcher } from "../evm.ts";
import { isGasIndependent } from "../tables/gas-independent.ts";
import { kaiaRuleSet } from "../tables/kaia-rules.ts";
import { CONTRACT, call, ENGINE_VARIANTS, engine, rulesAt, stateOf } from "../testing/run-code.ts";
import { type MemoryRegion, memoryOf } from "../tracers/replay/step-operands.ts";

// A fork that brings an opcode declares it in a table; these tests fail where the interpreter does not know of it, or where its row
// leaves out what tracers and the search for the lowest gas must know.

const NEWEST = FORKS.at(-1) as Fork;
const TABLE = kaiaRuleSet(rulesAt(NEWEST)).opcodes;
const WORD = 32;
/** Account that the operand 0 means. */
const CALLEE = 0;
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

describe("the row of an opcode", () => {
  /** Returns a word that starts with 0xdd; costs 18 gas, no more than the operand 32. */
  const callee = Uint8Array.from([0x60, 0xdd, 0x60, 0, 0x53, 0x60, WORD, 0x60, 0, 0xf3]);
  /** A static call with 32 gas, after which there are 32 bytes of return data. */
  const callFirst = [...[0, 0, 0, 0, CALLEE, WORD].flatMap((operand) => [0x60, operand]), 0xfa, 0x50];

  /** Memory before and after an opcode, the place its row names, and the word on top of the stack after it; undefined if it failed. */
  function stepOf(opcode: number, operands: readonly number[]) {
    const code = Uint8Array.from([...callFirst, ...withOperands(opcode, operands)]);
    let found: { before: Uint8Array; named: MemoryRegion | undefined } | undefined;
    let after: { memory: Uint8Array; top: Uint8Array } | undefined;
    const memoryIn = ({ bytes, memoryAt, memorySize }: StepView) =>
      bytes.slice(memoryAt, memoryAt + memorySize);
    const watcher: StepWatcher = {
      before(view) {
        if (view.depth > 1) return;
        if (view.pc === code.length - 2) found = { before: memoryIn(view), named: memoryOf(view) };
        if (view.pc !== code.length - 1) return;
        const top = view.stackAt + WORD * (view.height - 1);
        after = { memory: memoryIn(view), top: view.bytes.slice(top, top + WORD) };
      },
      after() {},
    };
    const state = stateOf({ [CONTRACT]: { code }, [CALLEE]: { code: callee } });
    call(state, { fork: NEWEST, input: INPUT, tracer: { watcher } });
    return found && after && { ...found, ...after };
  }

  it.each(rows.filter(([, , { pops }]) => pops <= 7))(
    "names the memory that %s writes, or loads a word from",
    (_name, opcode, { pops, pushes }) => {
      for (const operands of operandsOf(pops)) {
        const step = stepOf(opcode, operands);
        if (step === undefined) continue;
        const { before, memory, named, top } = step;
        const { offset, size } = named ?? { offset: 0, size: 0 };
        const isNamed = (at: number) => at >= offset && at < offset + size;
        const changed = [...memory.keys()].filter((at) => memory[at] !== (before[at] ?? 0));
        expect(
          changed.filter((at) => !isNamed(at)),
          `with ${operands}`,
        ).toEqual([]);
        const isLoaded = pushes > 0 && (top[0] === 0xaa || top[0] === 0xbb);
        expect(isLoaded && named === undefined, `loads with ${operands}`).toBe(false);
      }
    },
  );

  /** Memory of more than one word, a gas limit, an address that is not reserved. */
  const MUCH = 0x8000;
  /** Ends with the gas it was given as its output, in whatever frame it runs. */
  const showGas = [0x5a, 0x60, 0, 0x52, 0x60, WORD, 0x60, 0, 0xfd];

  /** Stores the top of the stack, then the data returned, and returns two words. */
  const returnShown = hexToBytes("0x6000523d600060203e60406000f3");

  /** What code shows after an opcode: the word on top of the stack and the data returned to it, as its output; undefined if it failed. */
  function shown(opcode: number, operands: readonly number[], gas: bigint): string | undefined {
    const fill = showGas.flatMap((byte, at) => [0x60, byte, 0x60, at, 0x53]);
    const push = operands.flatMap((operand) => [0x61, operand >> 8, operand & 0xff]);
    const code = [...fill, 0x60, 0, ...push, opcode, ...returnShown];
    const state = stateOf({
      [CONTRACT]: { code: Uint8Array.from(code) },
      [MUCH]: { code: Uint8Array.from(showGas) },
    });
    const { outcome, output } = call(state, { fork: NEWEST, gas });
    return outcome === "success" ? bytesToHex(output) : undefined;
  }

  it.each(rows.filter(([, , { pops }]) => pops <= 7))(
    "says whether %s shows how much gas is left",
    (_name, opcode, { pops }) => {
      const differs = [...operandsOf(pops)].some((bits) => {
        const operands = bits.map((operand) => (operand === 0 ? 0 : MUCH));
        const seen = [30_000n, 60_000n, 600_000n].map((gas) => shown(opcode, operands, gas));
        return new Set(seen.filter((output) => output !== undefined)).size > 1;
      });
      expect(isGasIndependent(Uint8Array.of(opcode), TABLE)).toBe(!differs);
    },
  );
});
