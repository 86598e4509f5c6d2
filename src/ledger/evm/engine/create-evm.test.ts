import { describe, expect, it } from "vitest";
import { bytesToBigint, concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { EvmTimeout, type PaidCost, type StepInfo, type Tracer } from "../evm.ts";
import { precompiles } from "../precompiles/index.ts";
import { assemble, returning } from "../testing/assemble.ts";
import {
  address,
  CONTRACT,
  call,
  ENGINE_VARIANTS,
  engine,
  SENDER,
  stateOf,
  word,
} from "../testing/run-code.ts";
import { createEvm } from "./create-evm.ts";

const GAS = 1_000_000n;
const SPIN = "top: @top JUMP";

describe("failures", () => {
  it.each([
    ["ADD", "vmError", "stack underflow (0 <=> 2)"],
    ["1 SWAP3", "vmError", "stack underflow (1 <=> 4)"],
    ["top: 1 @top JUMP", "vmError", "stack limit reached 1024 (1023)"],
    ["INVALID", "vmError", "invalid opcode 0xfe"],
    ["3 JUMP", "vmError", "evm: invalid jump destination"],
    ["1 0xffffffffffffffffff MLOAD", "vmError", "gas uint64 overflow"],
    ["0x1fffffffe1 MLOAD", "outOfGas", "out of gas"],
    ["1 0 0 RETURNDATACOPY", "vmError", "evm: return data out of bounds"],
    ["0 0 REVERT", "revert", "evm: execution reverted"],
    [SPIN, "outOfGas", "out of gas"],
  ] as const)("%s ends with %s: %s", (source, outcome, error) => {
    for (const variant of ENGINE_VARIANTS) {
      const state = stateOf({ [CONTRACT]: { code: assemble(source) } });
      expect(call(state, { evm: engine(variant), gas: GAS })).toMatchObject({ outcome, error });
    }
  });

  it("checks stack before gas, gas before computation cost", () => {
    const state = () => stateOf({ [CONTRACT]: { code: assemble("ADD") } });
    expect(call(state(), { gas: 0n }).outcome).toBe("vmError");
    const push = () => stateOf({ [CONTRACT]: { code: assemble("1") } });
    expect(call(push(), { gas: 2n, computation: 0n }).outcome).toBe("outOfGas");
    expect(call(push(), { gas: 3n, computation: 119n }).outcome).toBe("computationLimit");
    expect(call(push(), { gas: 3n, computation: 120n })).toMatchObject({
      outcome: "success",
      computation: 120n,
    });
  });

  it("stops at the computation cost limit in every engine, and uses all gas", () => {
    for (const variant of ENGINE_VARIANTS) {
      const state = stateOf({ [CONTRACT]: { code: assemble(SPIN) } });
      const result = call(state, { evm: engine(variant), gas: 10n ** 12n, computation: 100_000n });
      expect(result).toMatchObject({ outcome: "computationLimit", gasLeft: 0n });
      expect(result.error).toBe("reached the opcode computation cost limit");
    }
  });

  it("counts a failed callee's computation cost for its caller", () => {
    const state = stateOf({
      [CONTRACT]: { code: returning("0 0 0 0 0 0x3000 GAS CALL") },
      12288: { code: assemble(SPIN) },
    });
    expect(call(state, { gas: 10n ** 12n, computation: 100_000n }).outcome).toBe("computationLimit");
  });

  it("returns gas that exceeds the counter of a frame", () => {
    const state = stateOf({ [CONTRACT]: { code: assemble("1 POP") } });
    const gas = (1n << 64n) - 1n;
    expect(call(state, { gas }).gasLeft).toBe(gas - 5n);
  });
});

describe("a run", () => {
  it("is aborted at its deadline, leaving the state unchanged", () => {
    let time = 0;
    const evm = createEvm({ precompiles, now: () => time++ });
    const state = stateOf({
      [CONTRACT]: { code: assemble("1 0 SSTORE 0 0 0 0 0 0x3000 GAS CALL") },
      12288: { code: assemble(SPIN) },
    });
    expect(() => call(state, { evm, gas: 10n ** 12n, deadline: 5 })).toThrow(EvmTimeout);
    expect(state.storage(address(CONTRACT), word(0))).toEqual(word(0));
    state.endTransaction();
    expect(call(state, { evm, gas: 200n }).outcome).toBe("outOfGas");
    const creation = { evm, gas: 10n ** 12n, deadline: 5, input: assemble(SPIN) };
    expect(() => call(state, creation, null)).toThrow(EvmTimeout);
    expect(state.nonce(address(SENDER))).toBe(0n);
  });

  it("is aborted in a loop of opcodes that leave the interpreter, each of which starts a new quantum", () => {
    let time = 0;
    const evm = createEvm({ precompiles, now: () => time++ });
    const loop = assemble("JUMPDEST 0 SLOAD POP 0 JUMP");
    const state = stateOf({ [CONTRACT]: { code: loop } });
    expect(() => call(state, { evm, gas: 50_000_000n, deadline: 5 })).toThrow(EvmTimeout);
    const calls = assemble("JUMPDEST 0 0 0 0 4 GAS STATICCALL POP 0 JUMP");
    const other = stateOf({ [CONTRACT]: { code: calls } });
    time = 0;
    expect(() => call(other, { evm, gas: 50_000_000n, deadline: 5 })).toThrow(EvmTimeout);
  });

  it("reverts only its own changes if aborted right after its outermost frame has failed", () => {
    const evm = createEvm({ precompiles, now: () => 0 });
    const code = assemble("JUMPDEST 0 BALANCE POP 0 JUMP");
    let aborted = 0;
    for (let gas = 2_000n; gas < 6_000n; gas += 20n) {
      const state = stateOf({ [CONTRACT]: { code }, [SENDER]: { balance: 7n } });
      state.checkpoint();
      state.addBalance(address(SENDER), 1n);
      try {
        expect(call(state, { evm, gas, deadline: 0 }).outcome).toBe("outOfGas");
      } catch (error) {
        expect(error).toBeInstanceOf(EvmTimeout);
        aborted++;
      }
      expect(state.balance(address(SENDER))).toBe(8n);
      state.commit();
      expect(() => state.endTransaction()).not.toThrow();
    }
    expect(aborted).toBeGreaterThan(0);
  });

  it("may start within a tracer of another run", () => {
    const code = returning("1 2 ADD 3 MUL 4 0 MSTORE 0 MLOAD ADD");
    const inner = stateOf({ [CONTRACT]: { code: returning("0x4444 0 MSTORE 0xffff") } });
    const evm = engine();
    const tracer: Tracer = { step: () => expect(call(inner, { evm }).outcome).toBe("success") };
    const state = stateOf({ [CONTRACT]: { code } });
    expect(bytesToBigint(call(state, { evm, tracer }).output)).toBe(13n);
  });

  it("survives the eviction of all code", () => {
    const evm = engine();
    const body = new Uint8Array(24_000).fill(0x5b);
    for (let i = 0; i < 120; i++) {
      const code = concat(returning(`${i}`), body);
      expect(bytesToBigint(call(stateOf({ [CONTRACT]: { code } }), { evm }).output)).toBe(BigInt(i));
    }
  });

  it("accepts init code that is too long for a block table", () => {
    const initCode = concat(assemble("1 0 MSTORE8 1 0 RETURN"), new Uint8Array(70_000));
    const state = stateOf({ [SENDER]: {} });
    expect(call(state, { fork: "kore", input: initCode }, null)).toMatchObject({
      outcome: "success",
      output: Uint8Array.of(1),
    });
  });

  it("succeeds on an account without code, and uses no gas", () => {
    const state = stateOf({ [SENDER]: { balance: 5n } });
    expect(call(state, { gas: GAS, value: 2n })).toMatchObject({
      outcome: "success",
      gasLeft: GAS,
      output: EMPTY_BYTES,
    });
    expect(state.balance(address(CONTRACT))).toBe(2n);
    expect(call(state, { gas: GAS, value: 4n })).toMatchObject({
      outcome: "insufficientBalance",
      gasLeft: GAS,
    });
  });
});

describe("a tracer", () => {
  /** Steps of a call as text: depth, name, gas cost, stack, memory size. */
  function trace(source: string, others: Parameters<typeof stateOf>[0] = {}) {
    const lines: string[] = [];
    const line = (s: StepInfo) =>
      `${s.depth} ${s.pc} ${s.opName} ${s.gasCost} [${s.stack.join()}] ${s.memory.length}${s.error ? ` ${s.error}` : ""}`;
    const tracer: Tracer = {
      enter: (c) => lines.push(`enter ${c.kind} ${c.depth} ${c.gas}`),
      exit: (r) => lines.push(`exit ${r.outcome} ${r.depth} ${r.gasUsed}`),
      step: (s) => lines.push(line(s)),
      fault: (s) => lines.push(`fault ${line(s)}`),
    };
    call(stateOf({ ...others, [CONTRACT]: { code: assemble(source) } }), { gas: 50_000n, tracer });
    return lines;
  }

  it("sees each step before its effect, with its full cost and expanded memory", () => {
    expect(trace("7 32 MSTORE 5 SLOAD STOP")).toEqual([
      "enter CALL 0 50000",
      "1 0 PUSH1 3 [] 0",
      "1 2 PUSH1 3 [7] 0",
      "1 4 MSTORE 9 [7,32] 64",
      "1 5 PUSH1 3 [] 64",
      "1 7 SLOAD 2100 [5] 64",
      "1 8 STOP 0 [0] 64",
      "exit success 0 2118",
    ]);
  });

  it("sees calls with the gas passed to them, and failures", () => {
    const lines = trace("0 0 0 0 0x3000 1000 STATICCALL", { 12288: { code: assemble("1 1 SSTORE") } });
    expect(lines.slice(6)).toEqual([
      "1 11 PUSH2 3 [0,0,0,0,12288] 0",
      "1 14 STATICCALL 3600 [0,0,0,0,12288,1000] 0",
      "enter STATICCALL 1 1000",
      "2 0 PUSH1 3 [] 0",
      "2 2 PUSH1 3 [1] 0",
      "2 4 SSTORE 0 [1,1] 0 out of gas",
      "exit outOfGas 1 1000",
      "1 15 STOP 0 [0] 0",
      "exit success 0 3618",
    ]);
  });

  it("sees a fault after the step it belongs to", () => {
    expect(trace("9 JUMP").slice(-3)).toEqual([
      "1 2 JUMP 8 [9] 0",
      "fault 1 2 JUMP 8 [] 0 evm: invalid jump destination",
      "exit vmError 0 50000",
    ]);
  });

  it("shows the computation cost of the previous step in the frame for a step that cannot be paid or executed, as the reference node does", () => {
    const failing = (source: string, gas: bigint) => {
      const steps: StepInfo[] = [];
      const tracer: Tracer = { step: (step) => steps.push(step) };
      call(stateOf({ [CONTRACT]: { code: assemble(source) } }), { gas, tracer });
      return steps.at(-1) as StepInfo;
    };
    // PUSH1 costs 120; SHA3, whose constant 30 gas cannot be paid, would cost 560.
    expect(failing("0 0 SHA3", 20n)).toMatchObject({ opName: "SHA3", gasCost: 30n, computationCost: 120n });
    expect(failing("64 0 SHA3", 50n)).toMatchObject({ gasCost: 48n, computationCost: 560n });
    expect(failing("ADD", 50n)).toMatchObject({ opName: "ADD", gasCost: 0n, computationCost: 0n });
    expect(failing("0 ADD", 50n)).toMatchObject({ opName: "ADD", gasCost: 3n, computationCost: 120n });
  });

  it.each([
    // Sizes of 0x1fffffffe0 bytes, the most that the reference node computes the gas of; measured there.
    ["MLOAD beyond the bound", "641fffffffe051", 3n],
    ["SHA3", "641fffffffe0600020", 36_028_835_656_892_437n],
    ["CALLDATACOPY", "60016000641fffffffc037", 36_028_809_887_088_643n],
    ["LOG1", "6001641fffffffe06000a1", 36_029_909_398_716_907n],
    ["RETURN", "641fffffffe06000f3", 36_028_809_887_088_637n],
    // The target 0x4 is warm for the reference's callers, cold here: 2500 more.
    ["CALL", "60206000641fffffffe060006000600461fffff1", 36_028_809_887_156_772n],
    ["CALLCODE", "602060006001641fffffffc06000600461fffff2", 36_028_809_887_156_772n],
    ["DELEGATECALL", "602060006001641fffffffc0600461fffff4", 36_028_809_887_156_772n],
    ["STATICCALL with payable memory", "60206000602062100000600461fffffa", 2_263_722n],
    ["STATICCALL beyond the bound", "602060006001641fffffffe0600461fffffa", 100n],
    ["EXTCODECOPY", "641fffffffe06000600060043c", 36_028_822_771_993_122n],
    ["CREATE", "6001641fffffffc06000f0", 36_028_809_887_120_639n],
    ["CREATE2", "60016001641fffffffc06000f5", 36_028_809_887_120_645n],
    ["CREATE of too much code", "61c00160006000f0", 32_000n],
    // Charged, then found out of bounds.
    ["RETURNDATACOPY", "6001600060003e", 9n],
  ])("shows the gas of memory that no amount of gas suffices for: %s", (_, code, gasCost) => {
    const steps: StepInfo[] = [];
    const watched: (number | bigint)[] = [];
    const state = () => stateOf({ [CONTRACT]: { code: hexToBytes(`0x${code}`) } });
    call(state(), { gas: GAS, tracer: { step: (step) => steps.push(step) } });
    expect(steps.at(-1)).toMatchObject({ gasCost });
    const watcher = {
      before: () => {},
      after: (_step: unknown, { gas, exactGas }: PaidCost) => watched.push(exactGas ?? BigInt(gas)),
    };
    call(state(), { gas: GAS, tracer: { watcher } });
    expect(watched.at(-1)).toBe(gasCost);
  });

  it("shows the gas that an unpaid call would pass on, modulo 2^64, unless not even the access is paid", () => {
    const last = (code: string, gas: bigint) => {
      const steps: StepInfo[] = [];
      const state = stateOf({ [CONTRACT]: { code: hexToBytes(`0x${code}`) } });
      call(state, { gas, tracer: { step: (step) => steps.push(step) } });
      return steps.at(-1) as StepInfo;
    };
    // DELEGATECALL with 1 MiB of input and as much gas as can be passed
    const code = "600060006210000060006004600019f4";
    const { gas, gasCost } = last(code, 100_000n);
    const cost = 2_195_456n;
    const left = BigInt.asUintN(64, gas - 100n - 2_500n - cost);
    expect(gasCost).toBe(100n + 2_500n + cost + left - left / 64n);
    expect(last(code, 2_500n).gasCost).toBe(100n);
  });

  it("shows the memory that RETURNDATACOPY was charged for, out of bounds or not", () => {
    const steps: StepInfo[] = [];
    const state = stateOf({ [CONTRACT]: { code: hexToBytes("0x6001600060203e") } });
    const step = ({ memory, ...rest }: StepInfo) => steps.push({ ...rest, memory: memory.slice() });
    call(state, { gas: GAS, tracer: { step } });
    expect(steps.at(-1)?.memory).toHaveLength(64);
  });

  it("names opcodes of later forks, and numbers undefined ones", () => {
    const named = (code: number) => {
      const steps: StepInfo[] = [];
      const tracer: Tracer = { step: (step) => steps.push(step) };
      call(stateOf({ [CONTRACT]: { code: Uint8Array.of(code) } }), { gas: GAS, fork: "istanbul", tracer });
      return (steps.at(-1) as StepInfo).opName;
    };
    expect([0x5f, 0x48, 0x5c, 0xf7].map(named)).toEqual([
      "PUSH0",
      "BASEFEE",
      "Missing opcode 0x5c",
      "Missing opcode 0xf7",
    ]);
  });
});
