import { describe, expect, it } from "vitest";
import { bytesToBigint, EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import { precompiles } from "../../precompiles/index.ts";
import { kaiaRuleSet } from "../../tables/kaia-rules.ts";
import { assemble, returning } from "../../testing/assemble.ts";
import { ProgramWriter, seededRandom } from "../../testing/random-program.ts";
import { CONTRACT, call, engine, rulesAt, stateOf, word } from "../../testing/run-code.ts";
import { createEvm } from "../create-evm.ts";
import {
  BLOCK_COMPUTATION,
  BLOCK_GAS,
  BLOCK_GROWTH,
  BLOCK_NEEDS,
  BLOCK_SIZE,
  MEMORIES,
  TABLE_SIZE,
} from "../layout.ts";
import { Machine } from "../machine.ts";
import { findBlocks } from "./blocks.ts";
import {
  type CodeCompiler,
  type CompiledCode,
  compiledCode,
  createInlineCompiler,
  HOT,
} from "./code-compiler.ts";
import { compileCode, MAX_BLOCKS } from "./compile-code.ts";

const machine = new Machine();
const { table } = machine.load(kaiaRuleSet(rulesAt("osaka")));
const TABLE = machine.u8.slice(table, table + TABLE_SIZE);
const hexCode = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));
const repeated = (hex: string, times: number) => hexCode(hex.repeat(times));

/** Queues requests until the test completes them. */
class ManualCompiler implements CodeCompiler {
  readonly threshold = 3;
  readonly requests: (() => void)[] = [];

  compile(code: Uint8Array, table: Uint8Array, done: (compiled: CompiledCode | undefined) => void): void {
    this.requests.push(() => done(compiledCode(code, table)));
  }
}

describe("basic blocks", () => {
  it("equal those of the interpreter's analysis, in number, position and sums", () => {
    const writer = new ProgramWriter(seededRandom(5), ["2001"]);
    for (let i = 0; i < 50; i++) {
      const code = hexCode(writer.write());
      const { blocks } = machine.place(MEMORIES, table, code)[0];
      const { u8 } = machine;
      const view = new DataView(u8.buffer);
      const entries = view.getUint32(blocks, true);
      const found = findBlocks(code, new DataView(TABLE.buffer), MAX_BLOCKS) ?? [];
      for (const [number, block] of found.entries()) {
        const at = entries + number * BLOCK_SIZE;
        expect(view.getUint16(blocks + 8 + block.start * 2, true)).toBe(number);
        expect({
          gas: view.getUint32(at + BLOCK_GAS, true),
          computation: view.getUint32(at + BLOCK_COMPUTATION, true),
          needs: view.getUint16(at + BLOCK_NEEDS, true),
          growth: view.getUint16(at + BLOCK_GROWTH, true),
        }).toEqual({
          ...{ gas: block.gas, computation: block.computation },
          ...{ needs: block.needs, growth: block.growth },
        });
      }
    }
  });
});

describe("what is not compiled", () => {
  it.each([
    ["more blocks than MAX_BLOCKS", repeated("5b", 24_576)],
    ["consecutive conditional jumps", repeated("57", 24_576)],
    ["too much WebAssembly in one part", repeated("51", 24_576)],
    ["multiplications of what was loaded", hexCode(`36${"80510253".repeat(6000)}`)],
    ["code too long for a block table", new Uint8Array(65_535)],
  ])("%s", (_, code) => {
    expect(compileCode(code, TABLE)).toBeUndefined();
  });

  it("rejected code is interpreted, and not compiled again", () => {
    let compilations = 0;
    const refusing: CodeCompiler = {
      threshold: 0,
      compile: (_code, _table, done) => {
        compilations++;
        done(undefined);
      },
    };
    const evm = createEvm({ precompiles, now: () => 0, compiler: refusing });
    const state = stateOf({ [CONTRACT]: { code: returning("7") } });
    for (let i = 0; i < 3; i++) expect(bytesToBigint(call(state, { evm }).output)).toBe(7n);
    expect(compilations).toBe(1);
  });

  it("init code runs once, and is not compiled", () => {
    const compiler = new ManualCompiler();
    const evm = createEvm({
      precompiles,
      now: () => 0,
      compiler: { ...compiler, threshold: 0, compile: compiler.compile },
    });
    expect(call(stateOf({}), { evm, input: assemble("top: 1 0 0 RETURN") }, null).outcome).toBe("success");
    expect(compiler.requests).toHaveLength(0);
  });
});

describe("hot code", () => {
  const CODE = returning("0 CALLDATALOAD 2 MUL");
  const double = (evm: ReturnType<typeof engine>, n: number) =>
    bytesToBigint(call(stateOf({ [CONTRACT]: { code: CODE } }), { evm, input: word(n) }).output);

  it("is compiled once, at the threshold, and returns the same before and after", () => {
    const compiler = new ManualCompiler();
    const evm = createEvm({ precompiles, now: () => 0, compiler });
    expect([1, 2].map((n) => double(evm, n))).toEqual([2n, 4n]);
    expect(compiler.requests).toHaveLength(0);
    expect([3, 4].map((n) => double(evm, n))).toEqual([6n, 8n]);
    expect(compiler.requests).toHaveLength(1);
    compiler.requests[0]?.();
    expect([5, 6].map((n) => double(evm, n))).toEqual([10n, 12n]);
    expect(compiler.requests).toHaveLength(1);
  });

  it("is compiled after 10,000 runs, or after 13 quanta of gas within them", () => {
    const compiler = new ManualCompiler();
    const evm = createEvm({
      precompiles,
      now: () => 0,
      compiler: { threshold: HOT, compile: (...request) => compiler.compile(...request) },
    });
    const state = stateOf({ [CONTRACT]: { code: CODE } });
    for (let i = 1; i < 10_000; i++) call(state, { evm, input: word(1) });
    expect(compiler.requests).toHaveLength(0);
    call(state, { evm, input: word(1) });
    expect(compiler.requests).toHaveLength(1);
    const loop = stateOf({ [CONTRACT]: { code: assemble("top: @top JUMP") } });
    call(loop, { evm, gas: 1_190_000n });
    expect(compiler.requests).toHaveLength(1);
    call(loop, { evm, gas: 300_000n });
    expect(compiler.requests).toHaveLength(2);
  });

  it("switches to compiled code in the middle of a loop", () => {
    const evm = createEvm({
      ...{
        precompiles,
        now: () => 0,
        compiler: { ...createInlineCompiler("always"), threshold: 20 } as CodeCompiler,
      },
      quantum: { gas: 1000, steps: 100 },
    });
    const loop = assemble("0 top: 1 ADD DUP1 5000 GT @top JUMPI 0 MSTORE 32 0 RETURN");
    const state = stateOf({ [CONTRACT]: { code: loop } });
    const result = call(state, { evm });
    const expected = call(stateOf({ [CONTRACT]: { code: loop } }), {});
    expect(result).toEqual(expected);
    expect(bytesToBigint(result.output)).toBe(5000n);
  });

  it("is compiled separately for each rule set", () => {
    const evm = engine({ compiler: createInlineCompiler("always") as CodeCompiler });
    const state = () => stateOf({ [CONTRACT]: { code: assemble("PUSH0 PUSH0 RETURN") } });
    expect(call(state(), { evm, fork: "osaka" }).outcome).toBe("success");
    expect(call(state(), { evm, fork: "istanbul" })).toMatchObject({
      outcome: "vmError",
      output: EMPTY_BYTES,
    });
  });
});

describe("compiled programs of a machine", () => {
  it("are evicted together with their code once they take too much memory, and compiled again", () => {
    let compiled = 0;
    const compiler: CodeCompiler = {
      threshold: 0,
      compile(code, table, done) {
        compiled++;
        const result = compiledCode(code, table) as CompiledCode;
        done({ ...result, size: 2 ** 24 });
      },
    };
    const evm = createEvm({ precompiles, now: () => 0, compiler });
    const codes = [1, 2, 3].map((n) => returning(`${n}`));
    for (let round = 0; round < 3; round++) {
      for (const [i, code] of codes.entries()) {
        const state = stateOf({ [CONTRACT]: { code } });
        expect(bytesToBigint(call(state, { evm }).output)).toBe(BigInt(i + 1));
      }
    }
    expect(compiled).toBe(9);
  });
});
