import { describe, expect, it } from "vitest";
import type { StepView } from "../../evm.ts";
import { kaiaRuleSet } from "../../tables/kaia-rules.ts";
import { rulesAt } from "../../testing/run-code.ts";
import { memoryHex, memoryOf, quantityAt } from "./step-operands.ts";

const { opcodes } = kaiaRuleSet(rulesAt("osaka"));
const STACK_AT = 64;
const MEMORY_AT = 4096;
/** Memory of three words: 1, 2, … 96. */
const MEMORY = Uint8Array.from({ length: 96 }, (_, i) => i + 1);

/** A step with these words on the stack, the top first. */
function stepOn(words: readonly bigint[], op = 0): StepView {
  const bytes = new Uint8Array(8192).fill(0xee);
  for (const [depth, word] of words.entries())
    for (let i = 0; i < 32; i++)
      bytes[STACK_AT + (words.length - 1 - depth) * 32 + i] = Number((word >> BigInt(8 * i)) & 0xffn);
  bytes.set(MEMORY, MEMORY_AT);
  return {
    ...{ op, memoryOperands: opcodes[op]?.memory },
    ...{ bytes, stackAt: STACK_AT, height: words.length, memoryAt: MEMORY_AT, memorySize: MEMORY.length },
  } as StepView;
}

describe("a word of the stack as hex", () => {
  it.each([
    [0n, "0x0"],
    [1n, "0x1"],
    [0x10n, "0x10"],
    [0x102n, "0x102"],
    [0x1000n, "0x1000"],
    [2n ** 255n, `0x8${"0".repeat(63)}`],
    [2n ** 256n - 1n, `0x${"f".repeat(64)}`],
  ])("%d is written %s", (word, text) => {
    expect(quantityAt(stepOn([word, 7n]), 0)).toBe(text);
    expect(quantityAt(stepOn([7n, word]), 1)).toBe(text);
  });

  it("below the end of the stack is zero", () => {
    expect(quantityAt(stepOn([7n]), 1)).toBe("0x0");
    expect(quantityAt(stepOn([]), 0)).toBe("0x0");
  });
});

describe("the memory that a step shows", () => {
  const words = [10n, 11n, 12n, 13n, 14n, 15n, 16n];

  it.each([
    ["MLOAD", 0x51, 10, 32],
    ["MSTORE", 0x52, 10, 32],
    ["MSTORE8", 0x53, 10, 1],
    ["CALLDATACOPY", 0x37, 10, 12],
    ["CODECOPY", 0x39, 10, 12],
    ["RETURNDATACOPY", 0x3e, 10, 12],
    ["MCOPY", 0x5e, 10, 12],
    ["EXTCODECOPY", 0x3c, 11, 13],
    ["CALL", 0xf1, 15, 16],
    ["CALLCODE", 0xf2, 15, 16],
    ["DELEGATECALL", 0xf4, 14, 15],
    ["STATICCALL", 0xfa, 14, 15],
  ])("of %s has the offset and size given by its operands", (_, op, offset, size) => {
    expect(memoryOf(stepOn(words, op))).toEqual({ offset, size });
  });

  it("is absent for other opcodes, a size of 0, and sizes no memory can have", () => {
    const copy = (offset: bigint, size: bigint) => memoryOf(stepOn([offset, 0n, size], 0x37));
    expect(memoryOf(stepOn(words, 0x01))).toBeUndefined();
    expect(copy(5n, 0n)).toBeUndefined();
    expect(copy(2n ** 31n, 2n ** 31n)).toEqual({ offset: 2 ** 31, size: 2 ** 31 });
    expect(copy(2n ** 31n + 1n, 1n)).toBeUndefined();
    expect(copy(1n, 2n ** 31n + 1n)).toBeUndefined();
    for (const bit of [32n, 64n, 255n]) {
      expect(copy(2n ** bit + 1n, 1n)).toBeUndefined();
      expect(copy(1n, 2n ** bit + 1n)).toBeUndefined();
    }
    expect(copy(0x04030201n, 0x08070605n)).toEqual({ offset: 0x04030201, size: 0x08070605 });
    expect(memoryOf(stepOn([9n], 0x37))).toBeUndefined();
  });

  it("is shown as hex, up to the end of memory", () => {
    const shown = (offset: number, size: number) => memoryHex(stepOn([]), { offset, size });
    expect(shown(0, 2)).toBe("0x0102");
    expect(shown(1, 3)).toBe("0x020304");
    expect(shown(95, 1)).toBe("0x60");
    expect(shown(95, 2)).toBe("0x60");
    expect(shown(96, 1)).toBe("0x");
    expect(shown(500, 9)).toBe("0x");
  });
});
