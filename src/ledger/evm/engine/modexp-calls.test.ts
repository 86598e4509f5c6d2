import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fork } from "../../../protocol/params/forks.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { BudgetSpent, EvmTimeout } from "../evm.ts";
import type { Precompile, PrecompileTable } from "../precompile.ts";
import { precompiles, warmPrecompiles } from "../precompiles/index.ts";
import { agreed, agreedRuns } from "../testing/agreed-run.ts";
import { assemble } from "../testing/assemble.ts";
import { CONTRACT, call, rulesAt, stateOf } from "../testing/run-code.ts";
import { createEvm } from "./create-evm.ts";

const [A, B] = [0x10_001, 0x10_002];
const LEVELS: readonly (Fork | "genesis")[] = ["genesis", "istanbul", "london", "kore", "cancun", "osaka"];

/** Hash of gas, memory size, return data and output region, mixed into slot 0. */
const OBSERVE =
  "RETURNDATASIZE 0 400 RETURNDATACOPY RETURNDATASIZE 600 MSTORE MSIZE 632 MSTORE GAS 664 MSTORE 336 360 KECCAK256 0 SLOAD XOR 0 SSTORE";

interface Call {
  readonly lengths: readonly [base: number, exponent: number, modulus: number];
  readonly words: readonly (readonly [at: number, value: bigint])[];
  readonly input: number;
  readonly inputSize: number;
  readonly output: number;
  readonly outputSize: number;
  readonly gas: number;
  readonly to: number;
  readonly opcode: string;
}

const value = fc.oneof(
  fc.bigInt(0n, 2n ** 256n - 1n),
  fc.constantFrom(0n, 1n, 2n, 3n, 65_537n, 2n ** 255n, 2n ** 256n - 1n, 2n ** 256n - 59n, 2n ** 128n),
);
const length = fc.oneof({ weight: 3, arbitrary: fc.constant(32) }, fc.integer({ min: 0, max: 34 }));
const modexpCall: fc.Arbitrary<Call> = fc.record({
  lengths: fc.tuple(length, length, length),
  words: fc.array(fc.tuple(fc.integer({ min: 96, max: 170 }), value), { minLength: 1, maxLength: 4 }),
  input: fc.constantFrom(0, 0, 0, 1, 300, 5000),
  inputSize: fc.oneof({ weight: 3, arbitrary: fc.constant(192) }, fc.integer({ min: 90, max: 260 })),
  output: fc.constantFrom(360, 360, 361, 40, 6000),
  outputSize: fc.oneof({ weight: 3, arbitrary: fc.constant(32) }, fc.integer({ min: 0, max: 70 })),
  gas: fc.oneof({ weight: 4, arbitrary: fc.constant(100_000) }, fc.integer({ min: 0, max: 6000 })),
  to: fc.constantFrom(5, 5, 5, 5, 4),
  opcode: fc.constantFrom("STATICCALL", "STATICCALL", "STATICCALL", "STATICCALL", "DELEGATECALL", "CALL"),
});

function source(call: Call): string {
  const { lengths, words, input, inputSize, output, outputSize, gas, to, opcode } = call;
  const put = [...lengths.map((length, i) => [32 * i, length] as const), ...words];
  const value = opcode === "CALL" ? "0" : "";
  return [
    ...put.map(([at, word]) => `${word} ${at} MSTORE`),
    `${outputSize} ${output} ${inputSize} ${input} ${value} ${to} ${gas} ${opcode}`,
    OBSERVE,
    "1 SLOAD 2 MUL ADD 1 SSTORE",
  ].join(" ");
}

/** Four times round, so that loops and compiled code come to the call too. */
const looped = (body: string) => `0 again: ${body} 1 ADD DUP1 4 GT @again JUMPI`;

describe("calls of MODEXP, with the host and without it", () => {
  it.each(LEVELS)("agree in everything a contract sees: %s", (fork) => {
    const rules = rulesAt(fork === "genesis" ? undefined : fork);
    fc.assert(
      fc.property(
        fc.array(modexpCall, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 20_000, max: 400_000 }),
        fc.boolean(),
        (calls, gas, isWarm) => {
          const scene = { [CONTRACT]: looped(calls.map(source).join(" ")) };
          const prepare = (state: StateJournal) => {
            if (isWarm) state.keepWarm(warmPrecompiles(rules));
          };
          agreedRuns(scene, { fork, prepare });
          agreedRuns(scene, { fork, prepare, gas: BigInt(gas) });
        },
      ),
      { numRuns: 12 },
    );
  });

  const prepare = (state: StateJournal) => state.keepWarm(warmPrecompiles(rulesAt("osaka")));
  const head = "32 0 MSTORE 32 32 MSTORE 32 64 MSTORE 7 96 MSTORE 0 NOT 128 MSTORE 1000003 160 MSTORE";
  const power = (gas: number) => `32 300 192 0 5 ${gas} STATICCALL`;
  const paid = "GAS 300 MLOAD ADD 0 SLOAD XOR 0 SSTORE 1 SLOAD 2 MUL ADD 1 SSTORE";

  it("keep the prices of a contract from before istanbul apart, through delegation too", () => {
    const body = looped(`${head} ${power(100_000)} ${paid} ${power(3000)} ${paid}`);
    const both = [A, B].flatMap((to) => [
      `0 0 0 0 0 ${to} 900000 CALL POP`,
      `0 0 0 0 ${to} 900000 DELEGATECALL POP`,
    ]);
    for (const codeInfo of [0x00, 0x10]) {
      const scene = {
        [CONTRACT]: { code: assemble([...both, ...both, body, ...both].join(" ")), codeInfo },
        [A]: { code: assemble(body), codeInfo: 0x00 },
        [B]: { code: assemble(body), codeInfo: 0x10 },
      };
      for (const fork of ["istanbul", "kore", "osaka"] as const) {
        expect(agreed(scene, { fork, prepare }).outcome).toBe("success");
        agreedRuns(scene, { fork, prepare, gas: 200_000n });
      }
    }
  });

  it("see zeros where memory has not grown yet, whatever a call has left there", () => {
    const modexp = `32 0 160 0 5 100000 STATICCALL RETURNDATASIZE ADD ${paid}`;
    const scene = {
      [CONTRACT]: `0 0 0 0 0 ${B} 200000 CALL POP 0 0 0 0 0 ${B} 200000 CALL`,
      [A]: Array.from({ length: 30 }, (_, i) => `32 ${32 * i} MSTORE`).join(" "),
      [B]: `1 31 MSTORE8 0 0 0 0 0 ${A} 90000 CALL POP ${modexp}`,
    };
    agreedRuns(scene, { prepare });
  });

  it("end by computation cost at the same call", () => {
    const scene = { [CONTRACT]: looped(`${head} ${power(100_000)} ${paid}`) };
    const { computation } = agreed(scene, { prepare });
    const limits = Array.from({ length: 40 }, (_, i) => (computation * BigInt(i)) / 40n);
    const outcomes = limits.map((limit) => agreed(scene, { prepare, computation: limit }).outcome);
    expect(new Set(outcomes)).toEqual(new Set(["computationLimit"]));
  });

  it("leave by turns, so that a loop of them is given up in time", () => {
    const code = assemble(`${head} again: ${power(100_000)} POP @again JUMP`);
    let time = 0;
    const evm = createEvm({ precompiles, now: () => ++time });
    const state = stateOf({ [CONTRACT]: { code } });
    prepare(state);
    expect(() => call(state, { evm, gas: 2n ** 60n, deadline: 50 })).toThrow(EvmTimeout);
  });

  it.each([undefined, 4080n])(
    "leave the host alone after the first, within a budget of %s gas",
    (precompileGas) => {
      const code = assemble(`${head} 0 again: ${power(100_000)} POP 1 ADD DUP1 10000 GT @again JUMPI`);
      let powers = 0;
      const counted: PrecompileTable = (...of) => {
        const found = precompiles(...of);
        const run: Precompile["run"] = (input, context) => {
          powers++;
          return (found as Precompile).run(input, context);
        };
        return found && { ...found, run };
      };
      const evm = createEvm({ precompiles: counted, now: () => 0 });
      const state = stateOf({ [CONTRACT]: { code } });
      prepare(state);
      const budget = precompileGas && { budget: { precompileGas, isSpent: () => false } };
      expect(call(state, { evm, gas: 10n ** 9n, ...budget }).outcome).toBe("success");
      expect(powers).toBe(1);
    },
  );

  it("exceed a budget after cheaper ones that did not", () => {
    const cheap = `1 32 MSTORE ${power(100_000)} POP ${power(100_000)} POP`;
    const state = stateOf({ [CONTRACT]: { code: assemble(`${head} ${cheap} ${head} ${power(100_000)}`) } });
    prepare(state);
    const budget = { precompileGas: 4079n, isSpent: () => false };
    expect(() => call(state, { budget })).toThrow(BudgetSpent);
  });
});
