import type { StepInfo } from "../evm.ts";
import type { Failure } from "../failures.ts";
import type { Execution, PendingStep } from "./execution.ts";
import {
  FRAME_COST,
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_PC,
  FRAME_RETURN_DATA,
  FRAME_RETURN_DATA_SIZE,
  FRAME_SP,
  FRAME_STACK,
} from "./layout.ts";
import { readBigint } from "./words.ts";

/** Opcodes that write memory inside the interpreter. */
const WRITES_MEMORY = new Set([0x37, 0x39, 0x3e, 0x52, 0x53, 0x5e]);

/** Remembers the machine before the next opcode of the running frame. */
export function beginStep(run: Execution): void {
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
    memory: WRITES_MEMORY.has(op) ? u8.slice(memory, memory + size) : undefined,
    refund: BigInt(run.core.refund),
    shown: false,
  };
}

/** Shows the pending step to the tracer; its gas is paid, its memory grown, its effect may or may not have happened. */
export function traceStep(run: Execution): void {
  const step = run.pending;
  if (!step || step.shown) return;
  step.shown = true;
  run.lastCost = step.gas - run.gas(run.record);
  run.tracer?.step?.(stepInfo(run, step, run.lastCost));
}

/** Shows why the pending step failed: as the step itself when it could not be paid, else as a fault after it. */
export function traceFailure(run: Execution, failure: Failure): void {
  const step = run.pending;
  if (!step || !run.tracer) return;
  if (step.shown) {
    run.tracer.fault?.({ ...stepInfo(run, step, run.lastCost), error: failure.text });
    return;
  }
  step.shown = true;
  run.tracer.step?.({ ...stepInfo(run, step, unpaidCost(run, step, failure)), error: failure.text });
}

/** Gas that a step would have cost, as far as it was known when it failed; bad opcodes show the step before. */
function unpaidCost(run: Execution, step: PendingStep, failure: Failure): bigint {
  const row = run.rules.opcodes[step.op];
  if (!row || failure.text.startsWith("stack ")) return run.lastCost;
  const fixed = BigInt(row.gas);
  if (failure.outcome !== "outOfGas" || step.gas < fixed) return fixed;
  return fixed + (run.machine.i64[(run.record + FRAME_COST) >>> 3] as bigint);
}

function stepInfo(run: Execution, step: PendingStep, gasCost: bigint): StepInfo {
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
    gasCost,
    computation: step.computation,
    computationCost: BigInt(run.rules.opcodes[step.op]?.computation ?? 0),
    depth: run.depth + 1,
    address: run.frame.account.address,
    stack: step.stack,
    memory: step.memory ? padded(step.memory, size) : u8.subarray(start, start + size),
    returnData: run.frame.longReturnData ?? u8.subarray(data, data + dataSize),
    refund: step.refund,
  };
}

function padded(memory: Uint8Array, size: number): Uint8Array {
  if (memory.length >= size) return memory;
  const bytes = new Uint8Array(size);
  bytes.set(memory);
  return bytes;
}
