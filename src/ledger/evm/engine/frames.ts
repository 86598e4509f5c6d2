import { EMPTY_CODE_HASH } from "../../../protocol/account/account.ts";
import { EMPTY_BYTES, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { AccountEntry } from "../../state/journal/journal-accounts.ts";
import { type FrameFailure, REVERTED } from "../failures.ts";
import { type Execution, type Frame, type FrameKind, frameRecord } from "./execution.ts";
import {
  CODE_JUMPS,
  CODE_PROGRAM,
  FLAG_HOST,
  FRAME_BLOCKS,
  FRAME_CODE,
  FRAME_CODE_SIZE,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_INPUT,
  FRAME_INPUT_SIZE,
  FRAME_JUMPS,
  FRAME_MEMORY,
  FRAME_MEMORY_SIZE,
  FRAME_OUTPUT,
  FRAME_OUTPUT_SIZE,
  FRAME_OWNER,
  FRAME_PC,
  FRAME_PROGRAM,
  FRAME_RETURN_DATA,
  FRAME_RETURN_DATA_SIZE,
  FRAME_SP,
  FRAME_STACK,
  FRAME_TABLE,
  RETURN_DATA,
  RETURN_DATA_SIZE,
} from "./layout.ts";
import type { PlacedCode } from "./placed-code.ts";
import { writeAddress, writeNumber } from "./words.ts";

/** Addresses of a new frame's stack, memory and input. */
export interface FrameRegions {
  readonly stack: number;
  readonly memory: number;
  readonly input: number;
  readonly inputSize: number;
  readonly flags: number;
}

/** Makes the next frame the current one; its gas is already in its record. */
export function openFrame(run: Execution, kind: FrameKind, account: AccountEntry): Frame {
  run.depth++;
  let frame = run.frames[run.depth];
  if (frame === undefined) {
    frame = { kind, account, checkpointed: false, code: undefined, longReturnData: undefined, startGas: 0n };
    run.frames[run.depth] = frame;
    return frame;
  }
  frame.kind = kind;
  frame.account = account;
  frame.checkpointed = false;
  frame.code = undefined;
  frame.longReturnData = undefined;
  return frame;
}

/** Opens the frame's checkpoint of the journal. */
export function openCheckpoint(run: Execution, frame: Frame): void {
  if (frame.checkpointed) return;
  frame.checkpointed = true;
  run.core.checkpoint();
}

/** Initializes the record of the current frame for the interpreter, except for address, caller and value. */
export function startFrame(run: Execution, code: PlacedCode, regions: FrameRegions): void {
  run.frame.code = code;
  const words = run.machine.u32;
  const at = run.record >>> 2;
  words[at + (FRAME_PC >>> 2)] = 0;
  words[at + (FRAME_SP >>> 2)] = regions.stack;
  words[at + (FRAME_STACK >>> 2)] = regions.stack;
  words[at + (FRAME_MEMORY >>> 2)] = regions.memory;
  words[at + (FRAME_MEMORY_SIZE >>> 2)] = 0;
  const record = code.record >>> 2;
  words[at + (FRAME_CODE >>> 2)] = code.code;
  words[at + (FRAME_CODE_SIZE >>> 2)] = code.size;
  words[at + (FRAME_JUMPS >>> 2)] = words[record + (CODE_JUMPS >>> 2)] as number;
  words[at + (FRAME_BLOCKS >>> 2)] = code.blocks;
  words[at + (FRAME_PROGRAM >>> 2)] = words[record + (CODE_PROGRAM >>> 2)] as number;
  words[at + (FRAME_TABLE >>> 2)] = run.loaded.table;
  words[at + (FRAME_INPUT >>> 2)] = regions.input;
  words[at + (FRAME_INPUT_SIZE >>> 2)] = regions.inputSize;
  words[at + (FRAME_RETURN_DATA >>> 2)] = RETURN_DATA;
  words[at + (FRAME_RETURN_DATA_SIZE >>> 2)] = 0;
  words[at + (FRAME_OUTPUT >>> 2)] = 0;
  words[at + (FRAME_OUTPUT_SIZE >>> 2)] = 0;
  words[at + (FRAME_FLAGS >>> 2)] = regions.flags | FLAG_HOST;
  words[at + (FRAME_OWNER >>> 2)] = run.frame.account.storageId;
  if (run.cache !== undefined && run.depth > 0) run.machine.interpreter.openScope(run.record);
}

/**
 * Loads the code of an account into linear memory: from the cache, or, if that is full, into the memory region of the callee.
 * @returns the code and the start of the frame's memory
 */
export function placeCode(
  run: Execution,
  owner: AccountEntry,
  code: Uint8Array,
  memory: number,
): [PlacedCode, number] {
  owner.codeKey ??= codeKeyOf(owner.account?.codeHash ?? EMPTY_CODE_HASH);
  const cached = run.machine.cached(run.loaded, owner.codeKey, code);
  if (cached === undefined) return run.machine.place(memory, run.loaded.table, code);
  run.machine.warm(cached, run.loaded.table, 1);
  return [cached, memory];
}

/** Cache of keys by hash object, which cached accounts share. */
const codeKeys = new WeakMap<Hash, string>();

function codeKeyOf(codeHash: Hash): string {
  let key = codeKeys.get(codeHash);
  if (key === undefined) {
    key = String.fromCharCode(...codeHash);
    codeKeys.set(codeHash, key);
  }
  return key;
}

/**
 * Ends the current frame: commits or reverts it, and returns gas, output and the success word to the caller's frame.
 * @param output - address of the output in linear memory
 */
export function finishFrame(
  run: Execution,
  failure: FrameFailure | undefined,
  output = 0,
  outputSize = 0,
): undefined {
  const frame = run.frame;
  const record = run.record;
  const stands = failure === undefined || failure.keepsState === true;
  if (frame.checkpointed) {
    frame.checkpointed = false;
    if (stands) run.core.commit();
    else run.core.revert();
  }
  // The outermost frame is committed or dropped as a whole.
  if (frame.code !== undefined && run.cache !== undefined && run.depth > 0) {
    if (stands) run.machine.interpreter.commitScope(record);
    else run.machine.interpreter.revertScope(record);
  }
  if (failure && !failure.keepsGas) run.setGas(record, 0n);
  const size = failure === undefined || failure === REVERTED ? outputSize : 0;
  if (run.tracer) traceExit(run, frame, failure, output, outputSize);
  if (run.depth === 0) {
    const bytes = size === 0 ? EMPTY_BYTES : run.machine.u8.slice(output, output + size);
    run.result = { failure, output: bytes };
    return;
  }
  run.depth--;
  returnGas(run, record);
  const isCreation = frame.kind === "CREATE" || frame.kind === "CREATE2";
  if (!isCreation) copyOutput(run, output, size);
  setReturnData(run, output, isCreation && failure === undefined ? 0 : size);
  pushResult(run, failure === undefined, isCreation ? frame.account.address : undefined);
}

function traceExit(
  run: Execution,
  frame: Frame,
  failure: FrameFailure | undefined,
  output: number,
  size: number,
): void {
  run.tracer?.exit?.({
    output: run.machine.u8.subarray(output, output + size),
    gasUsed: frame.startGas - run.gas(run.record),
    outcome: failure?.outcome ?? "success",
    ...(failure && { error: failure.text }),
    depth: run.depth,
  });
}

/** Returns the gas left of an ended frame to its caller. */
function returnGas(run: Execution, record: number): void {
  const words = run.machine.u32;
  const from = (record + FRAME_GAS) >>> 2;
  const to = (run.record + FRAME_GAS) >>> 2;
  const low = (words[to] as number) + (words[from] as number);
  words[to] = low;
  words[to + 1] = (words[to + 1] as number) + (words[from + 1] as number) + (low > 0xffffffff ? 1 : 0);
}

/** Copies a callee's output to the output region of its caller. */
function copyOutput(run: Execution, output: number, outputSize: number): void {
  const words = run.machine.u32;
  const at = run.record >>> 2;
  const size = Math.min(outputSize, words[at + (FRAME_OUTPUT_SIZE >>> 2)] as number);
  if (size === 0) return;
  const to = (words[at + (FRAME_MEMORY >>> 2)] as number) + (words[at + (FRAME_OUTPUT >>> 2)] as number);
  run.machine.u8.copyWithin(to, output, output + size);
}

/** Sets the return data of the current frame. */
function setReturnData(run: Execution, output: number, size: number): void {
  const { u8, u32 } = run.machine;
  const at = run.record >>> 2;
  const frame = run.frame;
  const fits = size <= RETURN_DATA_SIZE;
  frame.longReturnData = fits ? undefined : u8.slice(output, output + size);
  u32[at + (FRAME_RETURN_DATA >>> 2)] = fits ? RETURN_DATA : 0;
  u32[at + (FRAME_RETURN_DATA_SIZE >>> 2)] = size;
  if (fits && size > 0) u8.copyWithin(RETURN_DATA, output, output + size);
}

/** Pushes the result of a call or creation and advances past its opcode. */
function pushResult(run: Execution, success: boolean, created: Uint8Array | undefined): void {
  const words = run.machine.u32;
  const at = run.record >>> 2;
  const sp = words[at + (FRAME_SP >>> 2)] as number;
  if (success && created) writeAddress(words, sp >>> 2, created);
  else writeNumber(words, sp >>> 2, success ? 1 : 0);
  words[at + (FRAME_SP >>> 2)] = sp + 32;
  words[at + (FRAME_PC >>> 2)] = (words[at + (FRAME_PC >>> 2)] as number) + 1;
}

/** Sets the gas of the next frame: that reserved by the current frame, plus `extra`. */
export function passGas(run: Execution, extra: number, callGas: number): void {
  const words = run.machine.u32;
  const from = (run.record + callGas) >>> 2;
  const to = (frameRecord(run.depth + 1) + FRAME_GAS) >>> 2;
  const low = (words[from] as number) + extra;
  words[to] = low;
  words[to + 1] = (words[from + 1] as number) + (low > 0xffffffff ? 1 : 0);
}
