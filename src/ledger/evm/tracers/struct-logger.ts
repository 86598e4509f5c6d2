import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StepInfo } from "../evm.ts";
import { TracerError } from "./errors.ts";
import type { TracerFactory } from "./tracer.ts";

/** What a struct log leaves out. */
export interface StructLogOptions {
  readonly disableMemory?: boolean | undefined;
  readonly disableStack?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
  /** Most steps that are kept; 0 = all. */
  readonly limit?: number | undefined;
}

const SSTORE = 0x55;
/** Characters that one answer may have in all. */
const MAX_CHARACTERS = 100_000_000;
/** Of a step without stack, memory and storage; of a word in its quotes; of a slot with its value. */
const CHARACTERS = { step: 150, word: 67, slot: 135 };

/** Slots that steps so far wrote, by contract: hex without prefix to hex without prefix. */
type Writes = Map<string, Map<string, string>>;

/**
 * Every step with its stack, memory and the slots written so far. The hooks throw TracerError `TRACE_TOO_LARGE` when all
 * transactions of the factory together become more than an answer can hold.
 */
export function structLogger(options: StructLogOptions): TracerFactory {
  const { limit = 0, disableStorage = false } = options;
  let characters = 0;
  return () => {
    const logs: Json[] = [];
    const writes: Writes = new Map();
    const computation = new ShownComputation();
    return {
      hooks: {
        step(step) {
          const cost = computation.costOf(step);
          if (limit !== 0 && logs.length >= limit) return;
          const slots = noteWrite(writes, step);
          characters += sizeOf(step, options, disableStorage ? 0 : slots.size);
          if (characters > MAX_CHARACTERS) throw tooLarge(logs.length);
          logs.push(showStep(step, options, disableStorage ? undefined : slots, cost));
        },
      },
      result: ({ gasUsed, output, error }) => ({
        gas: Number(gasUsed),
        failed: error !== undefined,
        returnValue: error === undefined ? bare(output) : "",
        structLogs: logs,
      }),
    };
  };
}

function showStep(
  step: StepInfo,
  { disableStack, disableMemory }: StructLogOptions,
  slots: ReadonlyMap<string, string> | undefined,
  computationCost: bigint,
): Json {
  return {
    pc: step.pc,
    op: step.opName,
    gas: Number(step.gas),
    gasCost: Number(step.gasCost),
    depth: step.depth,
    // The reference marshals its error value, which has no members.
    ...(step.error !== undefined && { error: {} }),
    ...(!disableStack && { stack: step.stack.map(hexWord) }),
    ...(!disableMemory && { memory: memoryWords(step.memory) }),
    ...(slots && { storage: Object.fromEntries(slots) }),
    computation: Number(step.computation),
    computationCost: Number(computationCost),
  };
}

/** Where an opcode fails before its costs are looked up, the reference shows the cost of the step before in that call. */
class ShownComputation {
  readonly #last: bigint[] = [];

  costOf({ depth, error, computationCost }: StepInfo): bigint {
    const before = this.#last[depth] ?? 0n;
    this.#last.length = depth;
    const cost = error !== undefined && /^(stack |invalid opcode)/.test(error) ? before : computationCost;
    this.#last[depth] = cost;
    return cost;
  }
}

function sizeOf(step: StepInfo, { disableStack, disableMemory }: StructLogOptions, slots: number): number {
  const words = (disableStack ? 0 : step.stack.length) + (disableMemory ? 0 : step.memory.length / 32);
  return CHARACTERS.step + words * CHARACTERS.word + slots * CHARACTERS.slot;
}

function tooLarge(steps: number): TracerError {
  const text = `the trace is too large after ${steps} steps: set limit, disableMemory or disableStack`;
  return new TracerError("TRACE_TOO_LARGE", text, { steps });
}

/** The slots of the step's contract, its own write included. */
function noteWrite(writes: Writes, { address, op, stack }: StepInfo): ReadonlyMap<string, string> {
  const contract = bare(address);
  let slots = writes.get(contract);
  if (slots === undefined) {
    slots = new Map();
    writes.set(contract, slots);
  }
  const [slot, value] = [stack.at(-1), stack.at(-2)];
  if (op === SSTORE && slot !== undefined && value !== undefined) slots.set(hexWord(slot), hexWord(value));
  return slots;
}

function memoryWords(memory: Uint8Array): string[] {
  const words: string[] = [];
  for (let at = 0; at + 32 <= memory.length; at += 32) words.push(bare(memory.subarray(at, at + 32)));
  return words;
}

function hexWord(word: bigint): string {
  return word.toString(16).padStart(64, "0");
}

function bare(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}
