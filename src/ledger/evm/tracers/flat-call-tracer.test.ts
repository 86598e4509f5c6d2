import { describe, expect, it } from "vitest";
import { contractAddress } from "../../../protocol/account/address.ts";
import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { assemble } from "../testing/assemble.ts";
import { address, CONTRACT, call, SENDER, stateOf, word } from "../testing/run-code.ts";
import { flatCallTracer } from "./flat-call-tracer.ts";
import type { TracedTransaction } from "./tracer.ts";

const [CALLEE, REVERTING, DYING, OUTER] = [0x2001, 0x2002, 0x2003, 0x2004];
const GAS = 1_000_000n;
const INNER_GAS = "0xffff";

const hex = (number: number) => bytesToHex(address(number));
/** Operands of a call without input, its gas on top. */
const operands = (target: number, value?: number) =>
  `0 0 0 0 ${value === undefined ? "" : value} 0x${target.toString(16)} 0xffff`;

/** The trace of a transaction that sends 9 kei to a contract with this code. */
function traced(main: Uint8Array, changes: Partial<TracedTransaction> = {}): unknown {
  const state = stateOf({
    [SENDER]: { balance: 10n ** 18n },
    [CONTRACT]: { code: main, balance: 100n },
    [CALLEE]: { code: assemble("0xaa 0 MSTORE 32 0 RETURN") },
    [REVERTING]: { code: assemble("0xbb 0 MSTORE 32 0 REVERT") },
    [DYING]: { code: assemble("0x9999 SELFDESTRUCT"), balance: 7n },
    [OUTER]: { code: assemble(`${operands(CALLEE, 0)} CALL POP ${operands(DYING, 0)} CALL POP STOP`) },
  });
  const transaction: TracedTransaction = {
    ...{ from: address(SENDER), to: address(CONTRACT), isCreation: false, value: 9n, input: EMPTY_BYTES },
    ...{ gas: GAS + 21_000n, gasPrice: 0n, blockNumber: 300n, ...changes },
  };
  const { hooks, result } = flatCallTracer(transaction);
  const to = transaction.isCreation ? null : CONTRACT;
  const run = call(
    state,
    { gas: GAS, value: 9n, input: transaction.input, ...(hooks && { tracer: hooks }) },
    to,
  );
  const { output, error, gasLeft } = run;
  return result?.({ gasUsed: GAS - gasLeft + 21_000n, output, error });
}

/** The trace without its first element, the transaction. */
const inner = (main: string) => (traced(assemble(main)) as Record<string, unknown>[]).slice(1);

/** A call by the contract. */
const action = (to: number, callType: string, value: string) => {
  return { from: hex(CONTRACT), to: hex(to), callType, value, gas: INNER_GAS, input: "0x" };
};
const AA = bytesToHex(word(0xaa));

describe("flatCallTracer", () => {
  it("shows the transaction first, without its intrinsic gas", () => {
    expect(traced(assemble("1 POP STOP"))).toEqual([
      {
        action: {
          ...{ from: hex(SENDER), to: hex(CONTRACT), callType: "call", value: "0x9" },
          ...{ gas: "0xf4240", input: "0x" },
        },
        result: { gasUsed: "0x5", output: "0x" },
        ...{ subtraces: 0, traceAddress: [], type: "call" },
      },
    ]);
  });

  it("shows calls in order of their start, each with its trace address, and a SELFDESTRUCT as a suicide", () => {
    const list = traced(assemble(`${operands(OUTER, 0)} CALL POP ${operands(CALLEE)} STATICCALL POP STOP`));
    const shown = (list as Record<string, unknown>[]).map(({ type, traceAddress, subtraces }) => [
      type,
      traceAddress,
      subtraces,
    ]);
    expect(shown).toEqual([
      ["call", [], 2],
      ["call", [0], 2],
      ["call", [0, 0], 0],
      ["call", [0, 1], 1],
      ["suicide", [0, 1, 0], 0],
      ["call", [1], 0],
    ]);
    expect((list as unknown[])[4]).toEqual({
      action: { address: hex(DYING), balance: "0x7", refundAddress: hex(0x9999) },
      result: null,
      ...{ subtraces: 0, traceAddress: [0, 1, 0], type: "suicide" },
    });
    expect((list as unknown[])[5]).toEqual({
      action: action(CALLEE, "staticcall", "0x0"),
      result: { gasUsed: "0x12", output: AA },
      ...{ subtraces: 0, traceAddress: [1], type: "call" },
    });
  });

  it("shows the value seen by a DELEGATECALL, and CALLCODE under its own name", () => {
    expect(inner(`${operands(CALLEE)} DELEGATECALL POP ${operands(CALLEE, 0)} CALLCODE POP STOP`)).toEqual([
      {
        action: action(CALLEE, "delegatecall", "0x9"),
        result: { gasUsed: "0x12", output: AA },
        ...{ subtraces: 0, traceAddress: [0], type: "call" },
      },
      {
        action: action(CALLEE, "callcode", "0x0"),
        result: { gasUsed: "0x12", output: AA },
        ...{ subtraces: 0, traceAddress: [1], type: "call" },
      },
    ]);
  });

  it("keeps the output of a reverted call, and no result of other failures", () => {
    expect(inner(`${operands(REVERTING, 0)} CALL POP STOP`)).toEqual([
      {
        action: action(REVERTING, "call", "0x0"),
        error: "Reverted",
        result: { gasUsed: "0x12", output: bytesToHex(word(0xbb)) },
        ...{ subtraces: 0, traceAddress: [0], type: "call" },
      },
    ]);
    const words = { "0 JUMP": "Bad jump destination", INVALID: "Bad instruction", POP: "Stack underflow" };
    for (const [main, error] of Object.entries(words)) {
      const [root] = traced(assemble(main)) as [Record<string, unknown>];
      expect(root).toMatchObject({ error, subtraces: 0 });
      expect(root).not.toHaveProperty("result");
    }
  });

  it("shows creations with the code they store, and no result if they fail", () => {
    // Init code that returns two zero bytes, in memory from 27 on: PUSH1 2, PUSH1 0, RETURN.
    const init = "0x60026000f3";
    const created = bytesToHex(contractAddress(address(CONTRACT), 1n));
    const [good] = inner(`${init} 0 MSTORE 5 27 3 CREATE POP STOP`);
    expect(good).toEqual({
      action: {
        ...{ from: hex(CONTRACT), value: "0x3", init, creationMethod: "create" },
        gas: expect.stringMatching(/^0x[0-9a-f]{5}$/),
      },
      result: { address: created, code: "0x0000", gasUsed: "0x199" },
      ...{ subtraces: 0, traceAddress: [0], type: "create" },
    });
    // PUSH1 0, PUSH1 0, REVERT
    const [bad] = inner("0x60006000fd 0 MSTORE 1 5 27 3 CREATE2 POP STOP");
    expect(bad).toMatchObject({
      ...{ type: "create", error: "Reverted", action: { creationMethod: "create2", init: "0x60006000fd" } },
    });
    expect(bad).not.toHaveProperty("result");
  });

  it("omits calls of precompiled contracts without value, unless they fail", () => {
    expect(inner(`${operands(4, 0)} CALL POP ${operands(CALLEE, 0)} CALL POP STOP`)).toMatchObject([
      { action: { to: hex(CALLEE) }, traceAddress: [0] },
    ]);
    const [withValue] = inner(`${operands(4, 1)} CALL POP STOP`);
    expect(withValue).toMatchObject({ action: { to: hex(4), value: "0x1" } });
    // blake2f takes 213 bytes and nothing else.
    expect(traced(assemble(`${operands(9, 0)} CALL POP STOP`))).toMatchObject([
      { subtraces: 1 },
      { action: { to: hex(9) }, error: "Built-in failed", traceAddress: [0] },
    ]);
  });

  it("treats the addresses up to 0x3ff as precompiled contracts", () => {
    const calls = [0, 1, 0x3ff, 0x400].map((target) => `${operands(target, 0)} CALL POP`);
    expect(inner(`${calls.join(" ")} STOP`)).toMatchObject([
      { action: { to: hex(0) }, traceAddress: [0] },
      { action: { to: hex(0x400) }, traceAddress: [1] },
    ]);
  });

  it("shows a transaction that runs no code as a call of the sender", () => {
    const { result } = flatCallTracer({
      ...{ from: address(SENDER), to: address(SENDER), isCreation: false, value: 0n, input: EMPTY_BYTES },
      ...{ gas: 100_000n, gasPrice: 0n, blockNumber: 1n },
    });
    expect(result?.({ gasUsed: 41_000n, output: EMPTY_BYTES })).toEqual([
      {
        action: {
          ...{
            from: hex(SENDER),
            to: hex(SENDER),
            callType: "call",
            value: "0x0",
            gas: "0x186a0",
            input: "0x",
          },
        },
        result: { gasUsed: "0x0", output: "0x" },
        ...{ subtraces: 0, traceAddress: [], type: "call" },
      },
    ]);
  });

  /** A list to which the test adds calls. */
  function createList() {
    const made = flatCallTracer({
      ...{ from: address(SENDER), to: address(SENDER), isCreation: false, value: 0n, input: EMPTY_BYTES },
      ...{ gas: 1n, gasPrice: 0n, blockNumber: 1n },
    });
    const parties = { from: address(1), to: address(CALLEE), value: 0n, gas: 0n };
    return {
      enter: (size: number, depth: number) =>
        made.hooks?.enter?.({ kind: "CALL", ...parties, input: new Uint8Array(size), depth }),
      exit: (size: number, depth: number) =>
        made.hooks?.exit?.({ gasUsed: 0n, output: new Uint8Array(size), outcome: "success", depth }),
      show: () => made.result?.({ gasUsed: 0n, output: EMPTY_BYTES }) as readonly unknown[],
    };
  }

  it("aborts a list whose calls are so deep that their positions take more than that", () => {
    const { enter, exit, show } = createList();
    for (let depth = 0; depth <= 1000; depth++) enter(0, depth);
    for (let i = 0; i < 8000; i++) {
      enter(0, 1001);
      exit(0, 1001);
    }
    expect(show).toThrow("larger than 32000000 bytes");
  });

  it("aborts a list of more than 32,000,000 bytes, in inputs or outputs", () => {
    /** The length of the list for a call with inner calls that have these inputs, and return the output. */
    const lengthOf = (inputs: readonly number[], outputBytes = 0) => {
      const { enter, exit, show } = createList();
      enter(0, 0);
      for (const size of inputs) {
        enter(size, 1);
        exit(outputBytes, 1);
      }
      exit(0, 0);
      return show().length;
    };
    const tooLarge = "larger than 32000000 bytes";
    expect(lengthOf([5_000_000, 5_000_000, 5_000_000])).toBe(4);
    expect(() => lengthOf([5_000_000, 5_000_000, 5_000_000, 5_000_000])).toThrow(tooLarge);
    expect(lengthOf([0], 15_900_000)).toBe(2);
    expect(() => lengthOf([0], 16_100_000)).toThrow(tooLarge);
  });
});
