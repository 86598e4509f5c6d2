import {
  BAD_JUMP,
  COMPUTATION_LIMIT,
  type FrameFailure,
  GAS_OVERFLOW,
  OUT_OF_GAS,
  RETURN_DATA_BOUNDS,
  REVERTED,
  vmError,
  WRITE_PROTECTION,
} from "../../failures.ts";
import { Op } from "../../tables/op.ts";
import type { Execution } from "../execution.ts";
import { finishFrame } from "../frames.ts";
import { storeCode } from "../host/creates.ts";
import { executeOnHost } from "../host/opcodes.ts";
import {
  CODE_PROGRAM,
  EXIT_BAD_JUMP,
  EXIT_COMPUTATION,
  EXIT_FALLBACK,
  EXIT_GAS_OVERFLOW,
  EXIT_HOST,
  EXIT_INVALID_OPCODE,
  EXIT_OUT_OF_GAS,
  EXIT_OVERFLOW,
  EXIT_RETURN,
  EXIT_RETURN_DATA_BOUNDS,
  EXIT_REVERT,
  EXIT_STEP,
  EXIT_STOP,
  EXIT_UNDERFLOW,
  EXIT_WRITE_PROTECTION,
  EXIT_YIELD,
  FRAME_BLOCKS,
  FRAME_CODE,
  FRAME_OUTPUT,
  FRAME_OUTPUT_SIZE,
  FRAME_PC,
  FRAME_PROGRAM,
  FRAME_SP,
  FRAME_STACK,
} from "../layout.ts";
import { beginStep, traceFailure, traceStep } from "../tracing/trace.ts";

/** How long the interpreter runs between two checks of the deadline. */
export interface Quantum {
  /** Gas between two yields of the fast loop: V8 switches to optimized WebAssembly only at a new entry. */
  readonly gas: number;
  /** Opcodes between two yields of the exact loop. */
  readonly steps: number;
  /** Runs every opcode in the exact loop. */
  readonly exact?: boolean;
}

/**
 * Opcodes that leave the interpreter between two checks of the deadline: each begins a new quantum, so that otherwise a loop of
 * them would never be checked. This many of the slowest take a millisecond.
 */
const HOST_EXITS_PER_CHECK = 16;

/** Heat added to a contract by a quantum of gas, in runs. */
const QUANTUM_HEAT = 800;

/** Traced steps between two checks of the deadline. */
const STEPS_PER_CHECK = 32;

/** Runs frames until the outermost one ends. @throws EvmTimeout */
export function runFrames(run: Execution, quantum: Quantum): void {
  const { machine, cache } = run;
  const { interpreter } = machine;
  let hostExits = 0;
  let steps = 0;
  if (run.tracer && run.result === undefined) run.tracer.start?.(run.frame.account.address);
  while (run.result === undefined) {
    let record = run.record;
    let exit: number;
    if (run.isStepped) {
      beginStep(run);
      exit = interpreter.runExact(record, 1);
    } else if (quantum.exact || machine.u32[(record + FRAME_BLOCKS) >>> 2] === 0) {
      exit = interpreter.runExact(record, quantum.steps);
    } else {
      exit = cache ? cache.drive(quantum.gas) : interpreter.runFast(record, quantum.gas);
      record = run.record;
      // The block is certain to fail, so this ends within it: the fast loop never resumes inside a block.
      if (exit === EXIT_FALLBACK) exit = interpreter.runExact(record, -1);
    }
    machine.renewViews();
    run.isHostOpcodeShown = false;
    if (exit === EXIT_HOST) {
      runHostOpcode(run, record);
      if (++hostExits % HOST_EXITS_PER_CHECK === 0) run.checkDeadline();
    } else if (exit === EXIT_YIELD || exit === EXIT_STEP) {
      if (run.isStepped) traceStep(run);
      else warm(run, record);
      if (!run.isStepped || ++steps % STEPS_PER_CHECK === 0) run.checkDeadline();
    } else endFrame(run, record, exit);
  }
}

/** Adds the heat of a quantum to the running code, and switches to its compiled program once there is one. */
function warm(run: Execution, record: number): void {
  const { code } = run.frame;
  if (code === undefined) return;
  run.machine.warm(code, run.loaded.table, QUANTUM_HEAT);
  const { u32 } = run.machine;
  u32[(record + FRAME_PROGRAM) >>> 2] = u32[(code.record + CODE_PROGRAM) >>> 2] as number;
}

/** Executes the opcode for which the interpreter has left. */
function runHostOpcode(run: Execution, record: number): void {
  const { u8, u32 } = run.machine;
  const at = record >>> 2;
  const op = u8[(u32[at + (FRAME_CODE >>> 2)] as number) + (u32[at + (FRAME_PC >>> 2)] as number)] as number;
  const failure = executeOnHost(run, op);
  if (failure) fail(run, failure);
  else if (op === Op.selfDestruct) finishFrame(run, undefined);
}

/** Ends the current frame with an exit. */
function endFrame(run: Execution, record: number, exit: number): undefined {
  const { u32 } = run.machine;
  const at = record >>> 2;
  const output = u32[at + (FRAME_OUTPUT >>> 2)] as number;
  const size = u32[at + (FRAME_OUTPUT_SIZE >>> 2)] as number;
  if (run.tracer && isShownFirst(exit)) traceStep(run);
  if (exit === EXIT_REVERT) {
    if (run.tracer) traceFailure(run, REVERTED);
    return finishFrame(run, REVERTED, output, size);
  }
  if (exit !== EXIT_STOP && exit !== EXIT_RETURN) return fail(run, failureOf(run, record, exit));
  const length = exit === EXIT_RETURN ? size : 0;
  const isCreation = run.frame.kind === "CREATE" || run.frame.kind === "CREATE2";
  if (!isCreation) return finishFrame(run, undefined, output, length);
  finishFrame(run, storeCode(run, output, length), output, length);
}

/** Exits of opcodes whose gas was charged, or that end the frame successfully. */
function isShownFirst(exit: number): boolean {
  return (
    exit <= EXIT_REVERT ||
    exit === EXIT_BAD_JUMP ||
    exit === EXIT_WRITE_PROTECTION ||
    exit === EXIT_RETURN_DATA_BOUNDS
  );
}

function fail(run: Execution, failure: FrameFailure): undefined {
  if (run.tracer) traceFailure(run, failure);
  finishFrame(run, failure);
}

function failureOf(run: Execution, record: number, exit: number): FrameFailure {
  switch (exit) {
    case EXIT_OUT_OF_GAS:
      return OUT_OF_GAS;
    case EXIT_BAD_JUMP:
      return BAD_JUMP;
    case EXIT_WRITE_PROTECTION:
      return WRITE_PROTECTION;
    case EXIT_RETURN_DATA_BOUNDS:
      return RETURN_DATA_BOUNDS;
    case EXIT_GAS_OVERFLOW:
      return GAS_OVERFLOW;
    case EXIT_COMPUTATION:
      return COMPUTATION_LIMIT;
    default:
      return opcodeFailure(run, record, exit);
  }
}

/** Failures whose text includes the opcode or the stack height. */
function opcodeFailure(run: Execution, record: number, exit: number): FrameFailure {
  const { u32 } = run.machine;
  const at = record >>> 2;
  const op = run.codeAt(record)[u32[at + (FRAME_PC >>> 2)] as number] ?? 0;
  const row = run.rules.opcodes[op];
  const height = ((u32[at + (FRAME_SP >>> 2)] as number) - (u32[at + (FRAME_STACK >>> 2)] as number)) / 32;
  if (exit === EXIT_UNDERFLOW) return vmError(`stack underflow (${height} <=> ${row?.pops})`);
  if (exit === EXIT_OVERFLOW && row) {
    return vmError(`stack limit reached ${height} (${1024 + row.pops - row.pushes})`);
  }
  if (exit === EXIT_INVALID_OPCODE) return vmError(`invalid opcode 0x${op.toString(16)}`);
  throw new Error(`the interpreter left with ${exit}`);
}
