import { describe, expect, it } from "vitest";
import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { address, CONTRACT, call, SENDER, stateOf, word } from "../../testing/run-code.ts";
import { type ReplayParts, replayTracer } from "./replay-tracer.ts";

const CALLEE = 0x2001;
const REVERTING = 0x2002;
const DELEGATED = 0x2003;
const GAS = 1_000_000n;
/** Returns the word 0xaa. */
const RETURN_WORD = "60aa60005260206000f3";
const ALL: ReplayParts = { trace: true, vmTrace: true, stateDiff: true };

interface Step {
  readonly cost: number;
  readonly ex: {
    readonly mem: unknown;
    readonly push: string[];
    readonly store: unknown;
    used: number;
  } | null;
  readonly op: string;
  readonly pc: number;
  readonly sub: Vm | null;
}
interface Vm {
  readonly code: string;
  readonly ops: readonly Step[];
}

const hexWord = (value: bigint) => bytesToHex(word(value));
/** A call whose output goes to memory offset 0, 32 bytes. */
const callTo = (target: number) => `6020600060006000600061${target.toString(16).padStart(4, "0")}61fffff1`;

function replay(code: string, parts: Partial<ReplayParts> = ALL, gas = GAS, to: number | null = CONTRACT) {
  const init = hexToBytes(`0x${code}`);
  const state = stateOf({
    [SENDER]: { balance: 10n ** 18n },
    [CONTRACT]: { code: init },
    [CALLEE]: { code: hexToBytes(`0x${RETURN_WORD}`) },
    [REVERTING]: { code: hexToBytes("0x60bb60005260206000fd") },
    [DELEGATED]: { code: hexToBytes(`0xef0100${bytesToHex(address(CALLEE)).slice(2)}`) },
  });
  const input = to === null ? init : EMPTY_BYTES;
  const transaction = {
    ...{ from: address(SENDER), to: address(CONTRACT), isCreation: to === null, value: 0n, input, gas },
    ...{ gasPrice: 0n, blockNumber: 300n },
  };
  const none = { trace: false, vmTrace: false, stateDiff: false };
  const tracer = replayTracer({ ...none, ...parts }, transaction, state);
  const { output, error, gasLeft } = call(state, { gas, input, tracer: tracer.hooks }, to);
  return JSON.parse(tracer.resultText({ gasUsed: gas - gasLeft, output, error }, '{"diff":1}')) as {
    readonly output: string;
    readonly stateDiff: unknown;
    readonly trace: readonly Record<string, unknown>[];
    readonly vmTrace: Vm;
  };
}
const stepsOf = (code: string, gas?: bigint) => replay(code, { vmTrace: true }, gas).vmTrace.ops;

describe("a replay", () => {
  it("has the requested parts, and the output", () => {
    const shown = replay(RETURN_WORD);
    expect(Object.keys(shown)).toEqual(["output", "stateDiff", "trace", "vmTrace"]);
    expect(shown).toMatchObject({ output: hexWord(0xaan), stateDiff: { diff: 1 } });
    expect(shown.trace).toHaveLength(1);
    expect(shown.trace[0]).toMatchObject({ type: "call", result: { output: hexWord(0xaan) } });
    expect(shown.vmTrace.code).toBe(`0x${RETURN_WORD}`);
    expect(replay(RETURN_WORD, {})).toMatchObject({ output: hexWord(0xaan), trace: [], vmTrace: null });
    expect(replay("5b600056", {}).output).toBe("0x");
    expect(replay("60bb60005260206000fd", {}).output).toBe(hexWord(0xbbn));
  });

  it("has the output of the outermost call only", () => {
    expect(replay(`${callTo(CALLEE)}00`, {}).output).toBe("0x");
    expect(replay(`${callTo(REVERTING)}60206000f3`, {}).output).toBe(hexWord(0xbbn));
  });
});

describe("the steps of a replay", () => {
  it("show their cost, pushed words, memory and storage writes, and the remaining gas", () => {
    // PUSH 0x2a, PUSH 0x20, MSTORE; PUSH 7, PUSH 1, SSTORE; PUSH 0x20, MLOAD, DUP1, POP, POP, STOP
    const steps = stepsOf("602a602052600760015560205180505000");
    const effects: readonly [pc: number, op: string, cost: number, effect: object][] = [
      [0, "PUSH1", 3, { push: ["0x2a"] }],
      [2, "PUSH1", 3, { push: ["0x20"] }],
      [4, "MSTORE", 9, { mem: { data: hexWord(0x2an), off: 32 } }],
      [5, "PUSH1", 3, { push: ["0x7"] }],
      [7, "PUSH1", 3, { push: ["0x1"] }],
      [9, "SSTORE", 22_100, { store: { key: "0x1", val: "0x7" } }],
      [10, "PUSH1", 3, { push: ["0x20"] }],
      [12, "MLOAD", 3, { push: ["0x2a"], mem: { data: hexWord(0x2an), off: 32 } }],
      [13, "DUP1", 3, { push: ["0x2a", "0x2a"] }],
      [14, "POP", 2, {}],
      [15, "POP", 2, {}],
      [16, "STOP", 0, {}],
    ];
    let used = Number(GAS);
    const expected = effects.map(([pc, op, cost, effect]) => {
      used -= cost;
      return { cost, ex: { mem: null, push: [], store: null, used, ...effect }, op, pc, sub: null };
    });
    expect(steps).toEqual(expected);
  });

  it("of a call contain its inner steps, none for a precompiled contract, and its output in memory", () => {
    const steps = stepsOf(`${callTo(CALLEE)}${callTo(4)}00`);
    const [first, second] = steps.filter(({ op }) => op === "CALL");
    expect(first?.sub?.code).toBe(`0x${RETURN_WORD}`);
    expect(first?.sub?.ops.map(({ op }) => op)).toEqual([
      "PUSH1",
      "PUSH1",
      "MSTORE",
      "PUSH1",
      "PUSH1",
      "RETURN",
    ]);
    expect(first?.ex).toMatchObject({ push: ["0x1"], mem: { data: hexWord(0xaan), off: 0 }, store: null });
    expect(second?.sub).toBeNull();
    expect(second?.ex?.push).toEqual(["0x1"]);
  });

  it("of a reverted call are kept, and those of a delegated account have its delegate's code", () => {
    const [reverted] = stepsOf(`${callTo(REVERTING)}00`).filter(({ op }) => op === "CALL");
    expect(reverted?.ex?.push).toEqual(["0x0"]);
    expect(reverted?.sub?.ops.at(-1)).toMatchObject({ op: "REVERT", cost: 0, ex: { push: [], mem: null } });
    const [delegated] = stepsOf(`${callTo(DELEGATED)}00`).filter(({ op }) => op === "CALL");
    expect(delegated?.sub?.code).toBe(`0x${RETURN_WORD}`);
  });

  it("show no effect if they fail", () => {
    expect(stepsOf("600156").map(({ op, ex }) => [op, ex?.push])).toEqual([
      ["PUSH1", ["0x1"]],
      ["JUMP", undefined],
    ]);
    expect(stepsOf("600760015500", 10_000n).at(-1)).toMatchObject({ op: "SSTORE", ex: null });
    expect(stepsOf("01")).toMatchObject([{ op: "ADD", ex: null, sub: null }]);
  });

  it("of a creation are those of its init code, even when nested", () => {
    const init = "60016000526001601ff3";
    expect(replay(init, ALL, GAS, null)).toMatchObject({ output: "0x01", vmTrace: { code: `0x${init}` } });
    // MSTORE of the init code's 10 bytes, CREATE from offset 22
    const steps = stepsOf(`69${init}600052600a60166000f000`);
    const create = steps.find(({ op }) => op === "CREATE");
    expect(create?.sub?.code).toBe(`0x${init}`);
    expect(create?.sub?.ops.at(-1)?.op).toBe("RETURN");
  });

  it("have no inner steps for a SELFDESTRUCT, and are empty if no code ran", () => {
    const steps = stepsOf("6000ff");
    expect(steps.at(-1)).toMatchObject({ op: "SELFDESTRUCT", sub: null });
    expect(replay("00", { vmTrace: true }, GAS, 0x3000).vmTrace).toEqual({ code: "0x", ops: [] });
  });

  it("are aborted at their size limit", () => {
    // copies 192 KiB of call data into memory in a loop
    expect(() => stepsOf("5b620300006000600037600056", 3_000_000n)).toThrow(
      expect.objectContaining({ code: "TRACE_TOO_LARGE" }),
    );
  });
});
