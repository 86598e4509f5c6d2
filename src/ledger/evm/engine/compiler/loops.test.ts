import { describe, expect, it } from "vitest";
import { bytesToBigint } from "../../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { kaiaRuleSet } from "../../tables/kaia-rules.ts";
import { agreed } from "../../testing/agreed-run.ts";
import { assemble } from "../../testing/assemble.ts";
import { CycleWriter } from "../../testing/random-cycle.ts";
import { seededRandom } from "../../testing/random-program.ts";
import { CONTRACT, rulesAt } from "../../testing/run-code.ts";
import { TABLE_SIZE } from "../layout.ts";
import { Machine } from "../machine.ts";
import { type CodeParts, findBlocks, targetBlocks } from "./blocks.ts";
import { MAX_BLOCKS } from "./compile-code.ts";
import { findLoops } from "./loop-paths.ts";

/** Random programs; `KAIRN_FUZZ=25000` for a long run, `KAIRN_SEED` to start elsewhere. */
const PROGRAMS = Number(process.env["KAIRN_FUZZ"] ?? 25);
const SEED = Number(process.env["KAIRN_SEED"] ?? 1);
const GAS = 10_000_000n;
const RETURNS = "0 MSTORE 32 0 RETURN";

const machine = new Machine();
const { table } = machine.load(kaiaRuleSet(rulesAt("osaka")));
const TABLE = new DataView(machine.u8.slice(table, table + TABLE_SIZE).buffer);

function partsOf(source: string): CodeParts {
  const code = assemble(source);
  const blocks = findBlocks(code, TABLE, MAX_BLOCKS) ?? [];
  return { code, table: TABLE, blocks, targets: targetBlocks(code, blocks), partBits: 6 };
}

/** The numbers of the blocks on the path of each loop. */
function loopsOf(source: string): number[][] {
  return [...findLoops(partsOf(source)).values()].map((path) => path.map(({ number }) => number));
}

/** The result on which all engines agree. */
function outcomeOf(source: string, gas = GAS): bigint | string {
  const { outcome, output } = agreed({ [CONTRACT]: source }, { gas });
  return outcome === "success" ? bytesToBigint(hexToBytes(output)) : outcome;
}

describe("the path of a loop", () => {
  it("includes a condition and the body", () => {
    expect(loopsOf("9 head: DUP1 ISZERO @end JUMPI 1 SWAP1 SUB @head JUMP end: STOP")).toEqual([[1, 2]]);
  });

  it("includes functions called on it, and skips branches that only fail", () => {
    const loop = "9 head: @back DUP2 @less JUMP back: SWAP1 POP DUP1 @head JUMPI STOP";
    const less = "less: DUP1 @fine JUMPI 0 0 REVERT fine: 1 SWAP1 SUB SWAP1 JUMP";
    expect(loopsOf(`${loop} ${less}`)).toEqual([[1, 4, 6, 2]]);
  });

  it.each([
    ["an inner loop", "9 a: DUP1 b: 1 SWAP1 SUB DUP1 @b JUMPI POP 1 SWAP1 SUB DUP1 @a JUMPI STOP", [[2]]],
    ["an iteration that leaves a word on the stack", "9 a: DUP1 @a JUMP", []],
    ["a call in between", "9 a: 0 0 0 0 0 0 0 CALL POP @a JUMP", []],
    ["a target that is unknown", "9 a: 0 CALLDATALOAD @b JUMPI @a JUMP b: STOP", [[1, 2]]],
    ["a jump that goes nowhere", "9 a: DUP1 0 JUMPI @a JUMP", []],
  ])("%s", (_, source, expected) => {
    expect(loopsOf(source)).toEqual(expected);
  });
});

describe("code crafted to compile slowly", () => {
  it("has a limited number of loops", () => {
    const loops = Array.from({ length: 500 }, (_, i) => `a${i}: DUP1 @a${i} JUMPI`).join(" ");
    expect(findLoops(partsOf(loops)).size).toBe(64);
  });

  it("is analysed for a bounded number of bytes", () => {
    const numbers = Array.from({ length: 40 }, (_, i) => i);
    const heads = numbers.map((i) => `a${i}: DUP1 @long JUMPI`).join(" ");
    const back = numbers.map((i) => `DUP1 @a${i} JUMPI`).join(" ");
    const long = `${heads} ${back} STOP long: ${"DUP1 POP ".repeat(8000)} 0 CALLDATALOAD JUMP`;
    const parts = partsOf(long);
    let bytes = 0;
    const code = new Proxy(parts.code, {
      get(target, key) {
        if (typeof key === "string" && key >= "0" && key <= "9~") bytes++;
        return Reflect.get(target, key, target);
      },
    });
    findLoops({ ...parts, code });
    expect(bytes).toBeLessThan(3_000_000);
  });
});

describe("a loop with its stack words in locals", () => {
  const SUM =
    "5 7 0 head: DUP2 ISZERO @end JUMPI DUP2 ADD DUP3 DUP2 MSTORE SWAP1 1 SWAP1 SUB SWAP1 @head JUMP";

  it("runs out of gas at the same place as the exact loop", () => {
    const source = `${SUM} end: ${RETURNS}`;
    expect(outcomeOf(source)).toBe(28n);
    for (let gas = 0n; gas < 700n; gas += 3n) outcomeOf(source, gas);
  });

  it("reaches any computation cost limit at the same place as the exact loop", () => {
    const code = assemble(`${SUM} end: ${RETURNS}`);
    for (let computation = 0n; computation < 900n; computation += 7n)
      agreed({ [CONTRACT]: { code } }, { gas: GAS, computation });
  });

  it("reads the exact gas in each iteration", () => {
    const source = `9 0 head: GAS XOR SWAP1 1 SWAP1 SUB DUP1 ISZERO @end JUMPI SWAP1 @head JUMP end: POP ${RETURNS}`;
    for (let gas = 500n; gas < 1000n; gas += 37n) outcomeOf(source, gas);
  });

  it.each([
    ["beyond 64 bits", "0xfffffffffffffff0 100", "1 ADD", 0xfffffffffffffff0n + 100n],
    ["below zero", "3 100", "1 SWAP1 SUB", 2n ** 256n - 97n],
    ["beyond 64 bits and back", "0xfffffffffffffff0 40", "20 ADD DUP2 20 LT 41 MUL SWAP1 SUB", undefined],
    ["beyond 256 bits", `${2n ** 256n - 5n} 9`, "1 ADD", 4n],
    ["beyond 64 bits from the start", `${2n ** 200n} 9`, "DUP1 ADD", 2n ** 209n],
  ])("counts %s", (_, start, step, expected) => {
    const source = `${start} head: SWAP1 ${step} SWAP1 1 SWAP1 SUB DUP1 @head JUMPI POP ${RETURNS}`;
    const result = outcomeOf(source);
    if (expected === undefined) expect(typeof result).toBe("bigint");
    else expect(result).toBe(expected);
  });

  it("permutes words from iteration to iteration", () => {
    const source = `1 2 3 5 head: SWAP2 SWAP3 SWAP1 SWAP2 1 SWAP1 SUB DUP1 @head JUMPI POP 100 MUL ADD 100 MUL ADD ${RETURNS}`;
    expect(typeof outcomeOf(source)).toBe("bigint");
  });

  it("can be entered in the middle", () => {
    const source = `7 9 @middle JUMP head: SWAP1 3 MUL SWAP1 middle: 1 SWAP1 SUB DUP1 @head JUMPI POP ${RETURNS}`;
    expect(outcomeOf(source)).toBe(7n * 3n ** 8n);
  });

  it("fails on a stack underflow at its head, and on an overflow within an iteration", () => {
    expect(outcomeOf("head: POP POP 1 1 @head JUMP")).toBe("vmError");
    const fill = "1018 fill: 1 SWAP1 SUB DUP1 DUP1 @fill JUMPI";
    for (let words = 1; words < 8; words++) {
      const pass = `${"DUP1 ".repeat(words)} ${"POP ".repeat(words)}`;
      outcomeOf(`${fill} POP 5 head: ${pass} 1 SWAP1 SUB DUP1 @head JUMPI 0 0 RETURN`);
    }
  });

  it("is left on a failure, and resumed after a detour", () => {
    const detour = "DUP1 3 AND @past JUMPI SWAP1 5 MUL SWAP1 past:";
    const check = "DUP2 1000000 GT @fine JUMPI 0 0 REVERT fine:";
    const source = `1 40 head: ${detour} ${check} SWAP1 1 ADD SWAP1 1 SWAP1 SUB DUP1 @head JUMPI POP ${RETURNS}`;
    expect(outcomeOf(source)).toBe("revert");
    expect(typeof outcomeOf(source.replace(" 40 ", " 20 "))).toBe("bigint");
  });
});

describe("random loops on the stack", () => {
  it(`run as in the exact loop with any gas (${PROGRAMS} from seed ${SEED})`, {
    timeout: 3_600_000,
  }, () => {
    const random = seededRandom(SEED);
    const writer = new CycleWriter(random);
    for (let i = 0; i < PROGRAMS; i++) {
      const hex = writer.write();
      const account = { code: hexToBytes(`0x${hex}`), balance: 1000n, storage: { 1: 7n } };
      const most = Math.floor(10 ** (2.5 + 2 * random()));
      for (let runs = 0; runs < 6; runs++) {
        const gas = BigInt(Math.floor(most * random()));
        const computation = random() < 0.2 ? BigInt(Math.floor(most * random())) : undefined;
        const options = computation === undefined ? { gas } : { gas, computation };
        try {
          agreed({ [CONTRACT]: account }, options);
        } catch (error) {
          throw new Error(`program ${hex} with ${gas} gas, computation ${computation}`, { cause: error });
        }
      }
    }
  });
});
