import type { Json } from "../../../protocol/codec/json/value.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StepInfo } from "../evm.ts";
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

/** Slots that steps so far wrote, by contract: hex without prefix to hex without prefix. */
type Writes = Map<string, Map<string, string>>;

/** Every step with its stack, memory and the slots written so far. */
export function structLogger(options: StructLogOptions): TracerFactory {
  const { limit = 0, disableStorage = false } = options;
  return () => {
    const logs: Json[] = [];
    const writes: Writes = new Map();
    return {
      hooks: {
        step(step) {
          if (limit !== 0 && logs.length >= limit) return;
          const slots = noteWrite(writes, step);
          logs.push(showStep(step, options, disableStorage ? undefined : slots));
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
    computationCost: Number(step.computationCost),
  };
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
