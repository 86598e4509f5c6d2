import { describe, expect, it } from "vitest";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import type { StepInfo, Tracer } from "../evm.ts";
import { ProgramWriter, seededRandom } from "../testing/random-program.ts";
import { address, CONTRACT, call, SENDER, stateOf } from "../testing/run-code.ts";
import { structLogger } from "./struct-logger.ts";
import { joinText } from "./tracer.ts";

const CALLEES = [CONTRACT + 1, CONTRACT + 2];
/** The opcodes that leave the interpreter if steps are not traced. */
const LEAVING = [
  ...[0x31, 0x3b, 0x3c, 0x3f, 0x40, 0x47, 0x54, 0x55, 0x5c, 0x5d],
  ...[0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xff],
];
const SSTORE = 0x55;
const PROGRAMS = 25;

const word = (value: bigint) => value.toString(16).padStart(64, "0");
const bare = (bytes: Uint8Array) => bytesToHex(bytes).slice(2);

/** Programs: the first is called, and may call the others. */
function scene(seed: number) {
  const writer = new ProgramWriter(seededRandom(seed), [
    ...CALLEES.map((callee) => bare(address(callee))),
    "04",
  ]);
  const codes = [CONTRACT, ...CALLEES].map(
    (place) =>
      [place, { code: hexToBytes(`0x${writer.write()}`), balance: 1000n, storage: { 1: 7n } }] as const,
  );
  return () => stateOf({ [SENDER]: { balance: 10n ** 18n }, ...Object.fromEntries(codes) });
}

/** A step as the struct log shows it, from what a step tracer receives. */
function shown(step: StepInfo, slots: Map<string, string>, computationCost: number) {
  const memory = bare(step.memory).match(/.{64}/g) ?? [];
  return {
    pc: step.pc,
    op: step.opName,
    gas: Number(step.gas),
    gasCost: Number(step.gasCost),
    depth: step.depth,
    ...(step.error !== undefined && { error: {} }),
    stack: step.stack.map(word),
    memory: [...memory],
    storage: Object.fromEntries(slots),
    computation: Number(step.computation),
    computationCost,
  };
}

/** Builds the expected struct log with a step tracer. */
function stepLogger() {
  const logs: unknown[] = [];
  const written = new Map<string, Map<string, string>>();
  const costs: number[] = [];
  const step = (info: StepInfo): void => {
    const contract = bare(info.address);
    const slots = written.get(contract) ?? new Map<string, string>();
    written.set(contract, slots);
    const [slot, value] = [info.stack.at(-1), info.stack.at(-2)];
    if (info.op === SSTORE && slot !== undefined && value !== undefined) slots.set(word(slot), word(value));
    const isUnknown = info.error !== undefined && /^(stack |invalid opcode)/.test(info.error);
    const cost = isUnknown ? (costs[info.depth] ?? 0) : Number(info.computationCost);
    costs.length = info.depth;
    costs[info.depth] = cost;
    logs.push(shown(info, slots, cost));
  };
  return { step, logs };
}

describe("a tracer with direct access to steps", () => {
  it.each([20_000n, 3_000n])("logs the steps that a step tracer receives, with %d gas", (gas) => {
    let count = 0;
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const state = scene(seed);
      const { step, logs } = stepLogger();
      const log = structLogger({})({} as never, state());
      call(state(), { gas, tracer: { ...log.hooks, step }, computation: 1_000_000n });
      const text = joinText(log.resultText?.({ gasUsed: 0n, output: new Uint8Array(0) }) ?? "");
      expect(
        text === `{"gas":0,"failed":false,"returnValue":"","structLogs":${JSON.stringify(logs)}}`,
        `seed ${seed}`,
      ).toBe(true);
      count += logs.length;
    }
    expect(count).toBeGreaterThan(500);
  });

  it.each([
    [{ disableStack: true }, ["stack"]],
    [{ disableMemory: true }, ["memory"]],
    [{ disableStorage: true }, ["storage"]],
    [{ disableStack: true, disableMemory: true, disableStorage: true }, ["stack", "memory", "storage"]],
  ])("omits only what the options say: %j", (options, left) => {
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const state = scene(seed);
      const { step, logs } = stepLogger();
      const log = structLogger(options)({} as never, state());
      call(state(), { gas: 20_000n, tracer: { ...log.hooks, step }, computation: 1_000_000n });
      const text = joinText(log.resultText?.({ gasUsed: 0n, output: new Uint8Array(0) }) ?? "");
      const rest = logs.map((line) =>
        Object.fromEntries(Object.entries(line as object).filter(([name]) => !left.includes(name))),
      );
      expect(JSON.parse(text).structLogs, `seed ${seed}`).toEqual(rest);
    }
  });

  it("logs at most the given number of steps; 0 means all", () => {
    const linesOf = (limit: number) => {
      const log = structLogger({ limit })({} as never, scene(1)());
      call(scene(1)(), { gas: 20_000n, tracer: { ...log.hooks } });
      const outcome = { gasUsed: 21_000n, output: Uint8Array.of(1), error: "out of gas" };
      const { structLogs, ...rest } = JSON.parse(joinText(log.resultText?.(outcome) ?? ""));
      expect(rest).toEqual({ gas: 21_000, failed: true, returnValue: "" });
      return structLogs as unknown[];
    };
    const all = linesOf(0);
    expect(all.length).toBeGreaterThan(5);
    for (const limit of [1, 3, all.length, all.length + 1])
      expect(linesOf(limit)).toEqual(all.slice(0, limit));
  });

  it("logs as much as the reference node can in its time limit, and stops at the maximum response size", () => {
    /** Expands memory to 32 KiB, which each step shows in 68 KB, and loops until out of gas. */
    const code = hexToBytes("0x61800051505b600556");
    const bytesOf = (gas: bigint): number => {
      const state = stateOf({ [SENDER]: { balance: 10n ** 18n }, [CONTRACT]: { code } });
      const log = structLogger({})({} as never, state);
      call(state, { gas, tracer: { ...log.hooks } });
      const pieces = log.resultText?.({ gasUsed: 0n, output: new Uint8Array(0) }) ?? [];
      return [...pieces].reduce((sum, { length }) => sum + length, 0);
    };
    expect(bytesOf(12_400n)).toBeGreaterThan(118_000_000);
    expect(() => bytesOf(18_000n)).toThrow(expect.objectContaining({ code: "TRACE_TOO_LARGE" }));
  }, 60_000);

  it("writes a gas cost beyond 2^53 exactly", () => {
    const state = stateOf({ [CONTRACT]: { code: hexToBytes("0x641fffffffe0600020") } });
    const log = structLogger({})({} as never, state);
    call(state, { gas: 50_000n, tracer: { ...log.hooks } });
    const pieces = log.resultText?.({ gasUsed: 0n, output: new Uint8Array(0), error: "out of gas" }) ?? [];
    expect(joinText(pieces)).toContain('"op":"SHA3","gas":49994,"gasCost":36028835656892437,');
  });

  it("sees each opcode that leaves the interpreter like a step tracer", () => {
    let count = 0;
    for (let seed = 1; seed <= PROGRAMS; seed++) {
      const state = scene(seed);
      const [stepped, watched]: string[][] = [[], []];
      const show = (op: number, place: Uint8Array, words: readonly unknown[], memory: Uint8Array) =>
        `${op} ${bare(place)} ${words.join()} ${bare(memory)}`;
      const tracer: Tracer = {
        step: ({ op, address, stack, memory }) => {
          const words = [1, 2, 3, 4].map((depth) => stack.at(-depth));
          if (LEAVING.includes(op)) stepped?.push(show(op, address, words, memory));
        },
      };
      call(state(), { gas: 50_000n, tracer });
      const watcher: Tracer = {
        hostOpcode: (step) => {
          const { op, address, memory } = step;
          const words = [0, 1, 2, 3].map((depth) => step.word(depth));
          if (LEAVING.includes(op)) watched?.push(show(op, address, words, memory));
        },
      };
      call(state(), { gas: 50_000n, tracer: watcher });
      expect(watched, `seed ${seed}`).toEqual(stepped);
      count += watched?.length ?? 0;
    }
    expect(count).toBeGreaterThan(200);
  });
});
