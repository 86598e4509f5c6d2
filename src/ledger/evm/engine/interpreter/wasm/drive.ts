// Runs frames in sequence, so that calls without value to known accounts need no round trip to the host.
import { chargeCall, runFast } from "./interpreter";
import { findAccount } from "./accounts";
import { callModexp } from "./modexp";
import { commitScope, openScope, revertScope } from "./scopes";
import * as word from "./word";
import {
  ACCOUNT_CODE, ACCOUNT_OWNER, CODE_BLOCKS, CODE_HEAT, CODE_JUMPS, CODE_PROGRAM, CODE_SIZE, CODE_START, EXIT_HOST, EXIT_RETURN,
  EXIT_REVERT, EXIT_STOP, EXIT_YIELD, FLAG_HOST, FLAG_STATIC, FRAME_ADDRESS, FRAME_BLOCKS, FRAME_CALL_GAS, FRAME_CALLEE,
  FRAME_CALLER, FRAME_CODE, FRAME_CODE_SIZE, FRAME_FLAGS, FRAME_GAS, FRAME_INPUT, FRAME_INPUT_SIZE, FRAME_JUMPS, FRAME_KIND,
  FRAME_MEMORY, FRAME_MEMORY_SIZE, FRAME_OUTPUT, FRAME_OUTPUT_SIZE, FRAME_OWNER, FRAME_PC, FRAME_PROGRAM, FRAME_REGION,
  FRAME_REGION_SIZE, FRAME_RETURN_DATA, FRAME_RETURN_DATA_SIZE, FRAME_SIZE, FRAME_SP, FRAME_STACK, FRAME_TABLE, FRAME_VALUE, LAST_FRAME,
  NEVER_HOT, RETURN_DATA, RETURN_DATA_SIZE, RUNNING,
} from "../../layout";

const CALL: u32 = 0xf1;
const DELEGATECALL: u32 = 0xf4;
const STATICCALL: u32 = 0xfa;
/**
 * Runs the frame at RUNNING and those that it calls, until the host is needed or together they have used `quantum` gas; RUNNING is
 * then the frame that needs it. Returns its exit.
 */
export function drive(quantum: i32): i32 {
  let frame = <usize>load<u32>(RUNNING), left = <i64>quantum;
  while (left > 0) {
    const gas = load<i64>(frame, FRAME_GAS), exit = runFast(frame, <i32>left);
    left -= gas - load<i64>(frame, FRAME_GAS);
    if (exit == EXIT_HOST) {
      const op = <u32>load<u8>(load<usize>(frame, FRAME_CODE) + load<u32>(frame, FRAME_PC)), paid = load<i64>(frame, FRAME_GAS);
      if (op == STATICCALL && callModexp(frame)) {
        left -= paid - load<i64>(frame, FRAME_GAS);
        continue;
      }
      if (!openCall(frame, op)) return exit;
      frame += FRAME_SIZE;
    } else {
      if (exit > EXIT_REVERT || load<u32>(frame, FRAME_FLAGS) & FLAG_HOST || !closeCall(frame, exit)) return exit;
      frame -= FRAME_SIZE;
    }
    store<u32>(RUNNING, <u32>frame);
  }
  return EXIT_YIELD;
}

/** Opens the frame of the call for which `frame` has left, if `op` is one. Returns false, without any change, if the host has to. */
function openCall(frame: usize, op: u32): bool {
  if (op != CALL && op != STATICCALL && op != DELEGATECALL) return false;
  const sp = load<usize>(frame, FRAME_SP);
  if (frame >= <usize>LAST_FRAME || (op == CALL && !word.isZero(sp - 96))) return false;
  const account = findAccount(sp - 64);
  if (!account) return false;
  const code = <usize>load<u32>(account, ACCOUNT_CODE), heat = load<u32>(code, CODE_HEAT);
  if (heat <= 1 || !chargeCall(frame, 0, sp - 32)) return false;
  if (heat != NEVER_HOT) store<u32>(code, heat - 1, CODE_HEAT);
  const top = sp - (op == CALL ? 224 : 192), child = frame + FRAME_SIZE, mem = load<usize>(frame, FRAME_MEMORY);
  store<usize>(frame, top, FRAME_SP);
  store<u32>(child, 0, FRAME_PC);
  store<usize>(child, top + 32, FRAME_SP);
  store<usize>(child, top + 32, FRAME_STACK);
  store<i64>(child, load<i64>(frame, FRAME_CALL_GAS), FRAME_GAS);
  store<usize>(child, mem + load<u32>(frame, FRAME_MEMORY_SIZE), FRAME_MEMORY);
  store<u32>(child, 0, FRAME_MEMORY_SIZE);
  store<u32>(child, load<u32>(code, CODE_START), FRAME_CODE);
  store<u32>(child, load<u32>(code, CODE_SIZE), FRAME_CODE_SIZE);
  store<u32>(child, load<u32>(code, CODE_JUMPS), FRAME_JUMPS);
  store<u32>(child, load<u32>(code, CODE_BLOCKS), FRAME_BLOCKS);
  store<u32>(child, load<u32>(code, CODE_PROGRAM), FRAME_PROGRAM);
  store<u32>(child, load<u32>(frame, FRAME_TABLE), FRAME_TABLE);
  store<u32>(child, <u32>mem + load<u32>(frame, FRAME_REGION), FRAME_INPUT);
  store<u32>(child, load<u32>(frame, FRAME_REGION_SIZE), FRAME_INPUT_SIZE);
  store<u32>(child, RETURN_DATA, FRAME_RETURN_DATA);
  store<u32>(child, 0, FRAME_RETURN_DATA_SIZE);
  store<u32>(child, 0, FRAME_OUTPUT);
  store<u32>(child, 0, FRAME_OUTPUT_SIZE);
  store<u32>(child, op == STATICCALL ? FLAG_STATIC : load<u32>(frame, FRAME_FLAGS) & FLAG_STATIC, FRAME_FLAGS);
  store<u32>(child, <u32>account, FRAME_CALLEE);
  store<u32>(child, op, FRAME_KIND);
  writeCallContext(frame, child, account, op == DELEGATECALL);
  openScope(child);
  return true;
}

/** Writes address, caller, value and storage of a new frame; DELEGATECALL inherits all of them. */
function writeCallContext(frame: usize, child: usize, account: usize, inherits: bool): void {
  if (inherits) {
    word.copy(child + FRAME_ADDRESS, frame + FRAME_ADDRESS);
    word.copy(child + FRAME_CALLER, frame + FRAME_CALLER);
    word.copy(child + FRAME_VALUE, frame + FRAME_VALUE);
    store<u32>(child, load<u32>(frame, FRAME_OWNER), FRAME_OWNER);
    return;
  }
  store<u64>(child, load<u64>(account), FRAME_ADDRESS);
  store<u64>(child, load<u64>(account, 8), FRAME_ADDRESS + 8);
  store<u64>(child, <u64>load<u32>(account, 16), FRAME_ADDRESS + 16);
  store<u64>(child, 0, FRAME_ADDRESS + 24);
  word.copy(child + FRAME_CALLER, frame + FRAME_ADDRESS);
  word.set64(child + FRAME_VALUE, 0);
  store<u32>(child, load<u32>(account, ACCOUNT_OWNER), FRAME_OWNER);
}

/** Ends a frame opened by `openCall` with STOP, RETURN or REVERT. Returns false, without any change, if the host has to. */
function closeCall(frame: usize, exit: i32): bool {
  const parent = frame - FRAME_SIZE, output = load<usize>(frame, FRAME_OUTPUT);
  const size = exit == EXIT_STOP ? <u32>0 : load<u32>(frame, FRAME_OUTPUT_SIZE);
  if (size > <u32>RETURN_DATA_SIZE) return false;
  if (exit == EXIT_REVERT) revertScope(frame);
  else commitScope(frame);
  store<i64>(parent, load<i64>(parent, FRAME_GAS) + load<i64>(frame, FRAME_GAS), FRAME_GAS);
  const wanted = min(size, load<u32>(parent, FRAME_OUTPUT_SIZE));
  if (wanted) memory.copy(load<usize>(parent, FRAME_MEMORY) + load<usize>(parent, FRAME_OUTPUT), output, wanted);
  if (size) memory.copy(RETURN_DATA, output, size);
  store<u32>(parent, RETURN_DATA, FRAME_RETURN_DATA);
  store<u32>(parent, size, FRAME_RETURN_DATA_SIZE);
  const sp = load<usize>(parent, FRAME_SP);
  word.set64(sp, u64(exit != EXIT_REVERT));
  store<usize>(parent, sp + 32, FRAME_SP);
  store<u32>(parent, load<u32>(parent, FRAME_PC) + 1, FRAME_PC);
  return true;
}
