import type { PaidCost, StepWatcher } from "../../evm.ts";
import type { FrameFailure } from "../../failures.ts";
import type { Execution } from "../execution.ts";
import {
  COMPUTATION_LEFT,
  FRAME_CODE,
  FRAME_CODE_SIZE,
  FRAME_GAS,
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_PC,
  FRAME_SP,
  FRAME_STACK,
} from "../layout.ts";
import { readBigint } from "../words.ts";
import { unpaidGas } from "./unpaid-gas.ts";

const HIGH = 0x1_0000_0000;

/** The next opcode of the frame at `record`; STOP beyond the end of its code. */
export function nextOpcode({ machine: { u8, u32 } }: Execution, record: number): number {
  const at = record >>> 2;
  const pc = u32[at + (FRAME_PC >>> 2)] as number;
  if (pc >= (u32[at + (FRAME_CODE_SIZE >>> 2)] as number)) return 0;
  return u8[(u32[at + (FRAME_CODE >>> 2)] as number) + pc] as number;
}

/** A signed 64-bit number in linear memory, rounded beyond 2^53. */
function number64(words: Uint32Array, address: number): number {
  const at = address >>> 2;
  return ((words[at + 1] as number) | 0) * HIGH + (words[at] as number);
}

/** Shows the opcode for which the interpreter has left, once. */
export function traceHostOpcode(run: Execution): void {
  if (run.isHostOpcodeShown) return;
  run.isHostOpcodeShown = true;
  const { machine, record, hostOpcode } = run;
  const { u8, u32 } = machine;
  const at = record >>> 2;
  hostOpcode.op = nextOpcode(run, record);
  hostOpcode.address = run.frame.account.address;
  hostOpcode.limbs = u32;
  hostOpcode.bytes = u8;
  hostOpcode.stackAt = u32[at + (FRAME_STACK >>> 2)] as number;
  hostOpcode.stackEnd = u32[at + (FRAME_SP >>> 2)] as number;
  hostOpcode.memoryAt = u32[at + (FRAME_MEMORY >>> 2)] as number;
  hostOpcode.memorySize = u32[at + (FRAME_MEMORY_SIZE >>> 2)] as number;
  run.tracer?.hostOpcode?.(hostOpcode);
}

/** Shows the state before the next opcode of the current frame to the watcher. */
export function beginWatch(run: Execution, watcher: StepWatcher): void {
  const { view, machine, record } = run;
  const { u8, u32 } = machine;
  const at = record >>> 2;
  const op = nextOpcode(run, record);
  const row = run.rules.opcodes[op];
  view.pc = u32[at + (FRAME_PC >>> 2)] as number;
  view.op = op;
  view.opName = run.opcodeName(op);
  view.pops = row?.pops ?? 0;
  view.memoryOperands = row?.memory;
  view.gas = number64(u32, record + FRAME_GAS);
  view.computation = number64(u32, COMPUTATION_LEFT);
  view.depth = run.depth + 1;
  view.address = run.frame.account.address;
  view.bytes = u8;
  view.stackAt = u32[at + (FRAME_STACK >>> 2)] as number;
  view.height = ((u32[at + (FRAME_SP >>> 2)] as number) - view.stackAt) >>> 5;
  view.memoryAt = u32[at + (FRAME_MEMORY >>> 2)] as number;
  view.memorySize = u32[at + (FRAME_MEMORY_SIZE >>> 2)] as number;
  view.isReported = false;
  watcher.before(view);
}

/** Reports the cost of a step to the watcher, once; the opcode may or may not have taken effect. */
export function endWatch(run: Execution, watcher: StepWatcher): void {
  const { view } = run;
  if (view.isReported) return;
  view.isReported = true;
  const { lastCosts } = view;
  const gas = view.gas - number64(renewed(run), run.record + FRAME_GAS);
  const computation = computationOf(run);
  lastCosts.length = 2 * run.depth;
  lastCosts.push(gas, computation);
  watcher.after(view, { gas, computation });
}

/** Reports a step that failed before its gas was charged to the watcher; later failures are not reported. */
export function failWatch(run: Execution, watcher: StepWatcher, failure: FrameFailure): void {
  if (run.view.isReported) return;
  run.view.isReported = true;
  renewed(run);
  watcher.after(run.view, { ...unpaidCost(run, failure), error: failure.text });
}

/** Updates the view after the memory may have grown. */
function renewed({ view, machine: { u8, u32 }, record }: Execution): Uint32Array {
  view.bytes = u8;
  view.memorySize = u32[(record + FRAME_MEMORY_SIZE) >>> 2] as number;
  return u32;
}

/** Cost of a failed step, as far as it was known; the rest is that of the previous step in the frame. */
function unpaidCost(run: Execution, failure: FrameFailure): PaidCost {
  const { view } = run;
  const row = run.rules.opcodes[view.op];
  const [gas = 0, computation = 0] = view.lastCosts.slice(2 * run.depth);
  if (!row || failure.text.startsWith("stack ")) return { gas, computation };
  if (failure.outcome === "computationLimit" || view.gas < row.gas) return { gas: row.gas, computation };
  const due = computationOf(run);
  if (failure.outcome !== "outOfGas") return { gas: row.gas, computation: due };
  const { u32 } = run.machine;
  const top = (view.stackAt >>> 2) + 8 * (view.height - 1);
  const unpaid = unpaidGas(run, view.op, (depth) => readBigint(u32, top - 8 * depth));
  const exact = BigInt(row.gas) + unpaid;
  return { gas: Number(exact), exactGas: exact, computation: due };
}

function computationOf({ rules, view }: Execution): number {
  return rules.opcodes[view.op]?.computation ?? 0;
}
