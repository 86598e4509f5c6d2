import type { StepInfo, Tracer } from "../../evm.ts";
import { type FrameFailure, WRITE_PROTECTION } from "../../failures.ts";
import { Op } from "../../tables/op.ts";
import { writesMemory } from "../../tables/opcodes.ts";
import type { Execution, PendingStep, StepCost } from "../execution.ts";
import {
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_PC,
  FRAME_RETURN_DATA,
  FRAME_RETURN_DATA_SIZE,
  FRAME_SP,
  FRAME_STACK,
} from "../layout.ts";
import { readBigint } from "../words.ts";
import { unpaidGas } from "./unpaid-gas.ts";
import { beginWatch, endWatch, failWatch, nextOpcode, traceHostOpcode } from "./watch.ts";

const FREE: StepCost = { gas: 0n, computation: 0n };

/** Before the next opcode of the current frame: calls the `opcode` and `watcher` hooks, and captures the state for the others. */
export function beginStep(run: Execution): void {
  const { opcode, watcher, step, fault } = run.tracer as Tracer;
  if (opcode !== undefined) {
    const op = nextOpcode(run, run.record);
    opcode(op, run.opcodeName(op), run.depth + 1);
  }
  if (watcher !== undefined) beginWatch(run, watcher);
  if (step !== undefined || fault !== undefined) remember(run);
}

function remember(run: Execution): void {
  const { u8, u32 } = run.machine;
  const record = run.record;
  const at = record >>> 2;
  const pc = u32[at + (FRAME_PC >>> 2)] as number;
  const code = run.codeAt(record);
  const op = pc < code.length ? (code[pc] as number) : 0;
  const stack: bigint[] = [];
  const sp = u32[at + (FRAME_SP >>> 2)] as number;
  for (let p = u32[at + (FRAME_STACK >>> 2)] as number; p < sp; p += 32) stack.push(readBigint(u32, p >>> 2));
  const memory = u32[at + (FRAME_MEMORY >>> 2)] as number;
  const size = u32[at + (FRAME_MEMORY_SIZE >>> 2)] as number;
  run.pending = {
    pc,
    op,
    gas: run.gas(record),
    computation: run.computationLeft,
    stack,
    memory: writesMemory(run.rules.opcodes[op]) ? u8.slice(memory, memory + size) : undefined,
    shown: false,
  };
}

/** Shows the pending step to the tracer: gas is charged and memory expanded; the opcode may or may not have taken effect. */
export function traceStep(run: Execution): void {
  const { hostOpcode, watcher } = run.tracer as Tracer;
  if (hostOpcode !== undefined) traceHostOpcode(run);
  if (watcher !== undefined) endWatch(run, watcher);
  const step = run.pending;
  if (!step || step.shown) return;
  step.shown = true;
  const cost = { gas: step.gas - run.gas(run.record), computation: computationOf(run, step) };
  // Deeper frames have ended: the next one begins without a last step.
  run.lastCosts.length = run.depth;
  run.lastCosts[run.depth] = cost;
  run.tracer?.step?.(stepInfo(run, step, cost));
}

/** Shows the failure of the pending step: as the step itself if its gas was not charged, else as a fault after it. */
export function traceFailure(run: Execution, failure: FrameFailure): void {
  const { hostOpcode, watcher, fault } = run.tracer as Tracer;
  if (hostOpcode !== undefined) traceHostOpcode(run);
  if (watcher !== undefined) failWatch(run, watcher, failure);
  const step = run.pending;
  if (!step || !run.tracer) return;
  if (step.shown) {
    const stack = stackAfterFault(run, step, failure);
    fault?.({ ...stepInfo(run, step, lastCost(run)), stack, error: failure.text });
    return;
  }
  step.shown = true;
  run.tracer.step?.({ ...stepInfo(run, step, unpaidCost(run, step, failure)), error: failure.text });
}

/** In the reference node, a failing opcode has already popped its operands; of write protection only CALL checks after popping. */
function stackAfterFault(
  run: Execution,
  { op, stack }: PendingStep,
  failure: FrameFailure,
): readonly bigint[] {
  if (failure === WRITE_PROTECTION && op !== Op.call) return stack;
  return stack.slice(0, Math.max(0, stack.length - (run.rules.opcodes[op]?.pops ?? 0)));
}

/** Cost of a failed step, as far as it was known; the rest is that of the previous step in the frame. */
function unpaidCost(run: Execution, step: PendingStep, failure: FrameFailure): StepCost {
  const row = run.rules.opcodes[step.op];
  const before = lastCost(run);
  if (!row || failure.text.startsWith("stack ")) return before;
  const fixed = BigInt(row.gas);
  const isLimit = failure.outcome === "computationLimit";
  if (isLimit || step.gas < fixed) return { gas: fixed, computation: before.computation };
  const computation = computationOf(run, step);
  if (failure.outcome !== "outOfGas") return { gas: fixed, computation };
  const gas = fixed + unpaidGas(run, step.op, (depth) => step.stack[step.stack.length - 1 - depth] ?? 0n);
  return { gas, computation };
}

/** Cost of the last charged step of the current frame. */
function lastCost(run: Execution): StepCost {
  return run.lastCosts[run.depth] ?? FREE;
}

function computationOf(run: Execution, step: PendingStep): bigint {
  return BigInt(run.rules.opcodes[step.op]?.computation ?? 0);
}

function stepInfo(run: Execution, step: PendingStep, cost: StepCost): StepInfo {
  const { u8, u32 } = run.machine;
  const at = run.record >>> 2;
  const start = u32[at + (FRAME_MEMORY >>> 2)] as number;
  const size = u32[at + (FRAME_MEMORY_SIZE >>> 2)] as number;
  const data = u32[at + (FRAME_RETURN_DATA >>> 2)] as number;
  const dataSize = u32[at + (FRAME_RETURN_DATA_SIZE >>> 2)] as number;
  return {
    pc: step.pc,
    op: step.op,
    opName: run.opcodeName(step.op),
    gas: step.gas,
    gasCost: cost.gas,
    computation: step.computation,
    computationCost: cost.computation,
    depth: run.depth + 1,
    address: run.frame.account.address,
    stack: step.stack,
    memory: step.memory ? padded(step.memory, size) : u8.subarray(start, start + size),
    returnData: run.frame.longReturnData ?? u8.subarray(data, data + dataSize),
    refund: BigInt(run.core.refund),
  };
}

function padded(memory: Uint8Array, size: number): Uint8Array {
  if (memory.length >= size) return memory;
  const bytes = new Uint8Array(size);
  bytes.set(memory);
  return bytes;
}
