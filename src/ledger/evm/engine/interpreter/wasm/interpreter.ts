// The EVM over linear memory. One source, three loops: loop<Exact> checks stack, gas and computation cost per opcode in
// the order defined by consensus; loop<Fast> does so once per basic block and leaves every failure to loop<Exact>;
// loop<Paid> runs opcodes inside a block that compiled code has checked and charged.
import { chargedAhead, aheadComputation, aheadGas } from "./analysis";
import { keccak256 } from "./keccak";
import {
  clamp64, copyPadded, grow, growFrame, isInside, loadPadded, newSize, OVERFLOW, perWord, region, regionOffset, regionSize, UNPAYABLE, wordRegion,
} from "./memory";
import { findAccount } from "./accounts";
import * as division from "./division";
import { writeLog } from "./logs";
import { ABSENT, FORBIDDEN, sload, sstore } from "./slots";
import * as word from "./word";
import {
  ACCOUNT_CODE, BLOCK_COMPUTATION, BLOCK_GAS, BLOCK_GROWTH, BLOCK_NEEDS, BLOCK_SIZE, CODE_SIZE, COMPUTATION_LEFT, CONSTANTS,
  EXIT_BAD_JUMP, EXIT_COMPUTATION, EXIT_FALLBACK, EXIT_GAS_OVERFLOW, EXIT_HOST, EXIT_INVALID_OPCODE, EXIT_OUT_OF_GAS,
  EXIT_OVERFLOW, EXIT_RETURN, EXIT_RETURN_DATA_BOUNDS, EXIT_REVERT, EXIT_STEP, EXIT_STOP, EXIT_UNDERFLOW,
  EXIT_WRITE_PROTECTION, EXIT_YIELD, FLAG_STATIC, FRAME_ADDRESS, FRAME_BLOCKS, FRAME_CALL_GAS, FRAME_CALLER, FRAME_CODE,
  FRAME_CODE_SIZE, FRAME_COST, FRAME_FLAGS, FRAME_GAS, FRAME_INPUT, FRAME_INPUT_SIZE, FRAME_JUMPS, FRAME_MEMORY,
  FRAME_MEMORY_SIZE, FRAME_NEW_MEMORY_SIZE, FRAME_OUTPUT, FRAME_OUTPUT_SIZE, FRAME_PC, FRAME_PROGRAM, FRAME_REGION, FRAME_REGION_SIZE,
  FRAME_RETURN_DATA, FRAME_RETURN_DATA_SIZE, FRAME_SP, FRAME_STACK, FRAME_TABLE, FRAME_VALUE, OP_COMPUTATION, OP_FLAGS,
  OP_GAS, OP_HOST, OP_POPS, OP_PUSHES, OP_VALID,
} from "../../layout";

// Type arguments serve as compile-time switches.
type Exact = i32;
type Fast = f64;
type Paid = f32;

/** Runs at most `steps` opcodes (-1 = no limit) of a frame, each checked individually. Returns an exit. */
export function runExact(frame: usize, steps: i32): i32 { return loop<Exact>(frame, steps); }

/**
 * Runs a frame, in compiled code if there is any, with one check per basic block, and yields at a taken jump once `quantum` gas is
 * used. Returns an exit.
 */
export function runFast(frame: usize, quantum: i32): i32 {
  const program = load<u32>(frame, FRAME_PROGRAM);
  return program ? call_indirect<i32>(program, frame, quantum) : loop<Fast>(frame, quantum);
}

/** Runs the opcode at pc inside a block that is checked and charged. Returns EXIT_STEP if the block continues, or an exit. */
export function step(frame: usize): i32 { return loop<Paid>(frame, 1); }

/** Charges `extra` gas and the cost in the frame, and expands memory. Returns 0 if it runs out of gas. */
export function charge(frame: usize, extra: u32): i32 {
  const gas = load<i64>(frame, FRAME_GAS), cost = load<i64>(frame, FRAME_COST) + <i64>extra;
  store<i64>(frame, cost, FRAME_COST);
  if (gas < cost) return 0;
  store<i64>(frame, gas - cost, FRAME_GAS);
  growFrame(frame, load<u32>(frame, FRAME_NEW_MEMORY_SIZE));
  return 1;
}

/** Runs the SLOAD or SSTORE at pc, whose static gas is charged and whose slot is in linear memory. Returns EXIT_STEP, or an exit. */
export function useSlot(frame: usize): i32 {
  const pc = load<u32>(frame, FRAME_PC), sp = load<usize>(frame, FRAME_SP), gas = load<i64>(frame, FRAME_GAS);
  const loads = load<u8>(load<usize>(frame, FRAME_CODE) + pc) == 0x54;
  const left = loads ? sload(frame, sp - 32, gas) : sstore(frame, sp - 32, sp - 64, gas);
  if (left < 0) return left == ABSENT ? EXIT_HOST : left == FORBIDDEN ? EXIT_WRITE_PROTECTION : EXIT_OUT_OF_GAS;
  store<i64>(frame, left, FRAME_GAS);
  store<u32>(frame, pc + 1, FRAME_PC);
  if (!loads) store<usize>(frame, sp - 64, FRAME_SP);
  return EXIT_STEP;
}

/** `charge`, then reserves the gas of a call: the word at `wanted`, at most 63/64 of what is left. Returns 0 if it runs out of gas. */
export function chargeCall(frame: usize, extra: u32, wanted: usize): i32 {
  if (!charge(frame, extra)) return 0;
  const gas = load<i64>(frame, FRAME_GAS), most = gas - gas / 64, want = clamp64(wanted);
  const give = want < <u64>most ? <i64>want : most;
  store<i64>(frame, give, FRAME_CALL_GAS);
  store<i64>(frame, gas - give, FRAME_GAS);
  store<i64>(frame, load<i64>(frame, FRAME_COST) + give, FRAME_COST);
  return 1;
}

/** Reserves 63/64 of the gas for a creation. */
export function takeCreateGas(frame: usize): void {
  const gas = load<i64>(frame, FRAME_GAS), give = gas - gas / 64;
  store<i64>(frame, give, FRAME_CALL_GAS);
  store<i64>(frame, gas - give, FRAME_GAS);
}

/** Writes the keccak256 hash of [data, data + size) to `to`, 32 big-endian bytes. */
export function hash(to: usize, data: usize, size: usize): void {
  keccak256(to, data, size);
  word.swapBytes(to, to);
}

// @ts-ignore: decorator
@inline function isJump(jumps: usize, codeSize: u32, to: u64): bool {
  return to < <u64>codeSize && <bool>((load<u8>(jumps + (<usize>to >> 3)) >> <u8>(to & 7)) & 1);
}

/** Memory regions of a call opcode: input and output, words `inputs` … `inputs` - 96 downwards. Returns gas, or as `region`. */
function callRegion(frame: usize, size: u32, inputs: usize): i64 {
  const outputCost = wordRegion(size, inputs - 64, inputs - 96), outputNew = newSize;
  if (outputCost == OVERFLOW) return OVERFLOW;
  store<u32>(frame, <u32>regionOffset, FRAME_OUTPUT);
  store<u32>(frame, regionSize, FRAME_OUTPUT_SIZE);
  const inputCost = wordRegion(size, inputs, inputs - 32);
  if (inputCost == OVERFLOW) return OVERFLOW;
  if (inputCost == UNPAYABLE || outputCost == UNPAYABLE) return UNPAYABLE;
  if (inputCost < 0 || outputCost < 0) return min(inputCost, outputCost);
  store<u32>(frame, <u32>regionOffset, FRAME_REGION);
  store<u32>(frame, regionSize, FRAME_REGION_SIZE);
  store<u32>(frame, max(newSize, outputNew), FRAME_NEW_MEMORY_SIZE);
  return max(inputCost, outputCost);
}

/**
 * Computes memory regions and gas of an opcode that the host executes, into the frame. Returns an exit. If the gas of the memory is
 * known, but more than the frame has, the host is asked all the same, since it adds what traces show.
 */
function measure(frame: usize, op: u32, sp: usize, size: u32, gas: i64): i32 {
  let cost: i64 = 0;
  store<u32>(frame, size, FRAME_NEW_MEMORY_SIZE);
  if (op == 0xf1 || op == 0xf2) cost = callRegion(frame, size, sp - 128);
  else if (op == 0xf4 || op == 0xfa) cost = callRegion(frame, size, sp - 96);
  else if (op == 0x3c || op == 0xf0 || op == 0xf5) {
    cost = op == 0x3c ? wordRegion(size, sp - 64, sp - 128) : wordRegion(size, sp - 64, sp - 96);
    store<u32>(frame, <u32>regionOffset, FRAME_REGION);
    store<u32>(frame, regionSize, FRAME_REGION_SIZE);
    store<u32>(frame, newSize, FRAME_NEW_MEMORY_SIZE);
    if (op == 0x3c && cost >= 0) cost += perWord(regionSize, 3);
    if (cost < OVERFLOW) {
      const length = load<u64>(op == 0x3c ? sp - 128 : sp - 96);
      store<u32>(frame, <u32>min(length, <u64>u32.MAX_VALUE), FRAME_REGION_SIZE);
      if (op == 0x3c) cost -= 3 * <i64>((length + 31) >> 5);
    }
  }
  if (cost < OVERFLOW) {
    cost = -cost;
    if (gas >= cost) cost = UNPAYABLE; // no machine has that memory
  }
  store<i64>(frame, cost, FRAME_COST);
  return cost == OVERFLOW ? EXIT_GAS_OVERFLOW : cost < 0 ? EXIT_OUT_OF_GAS : EXIT_HOST;
}

// @ts-ignore: decorator
@inline function isFast<M>(): bool { return isFloat<M>() && sizeof<M>() == 8; }
// @ts-ignore: decorator
@inline function isPaid<M>(): bool { return isFloat<M>() && sizeof<M>() == 4; }

function loop<M>(frame: usize, bound: i32): i32 {
  const code = load<usize>(frame, FRAME_CODE), codeSize = load<u32>(frame, FRAME_CODE_SIZE);
  const ops = load<usize>(frame, FRAME_TABLE), base = load<usize>(frame, FRAME_STACK), mem = load<usize>(frame, FRAME_MEMORY);
  const jumps = load<usize>(frame, FRAME_JUMPS), table = load<usize>(frame, FRAME_BLOCKS);
  const index = table + 8, blocks = isFast<M>() ? load<usize>(table) : 0;
  const constants = CONSTANTS;
  let pc = load<u32>(frame, FRAME_PC), sp = load<usize>(frame, FRAME_SP), gas = load<i64>(frame, FRAME_GAS);
  let size = load<u32>(frame, FRAME_MEMORY_SIZE), computation = load<i64>(COMPUTATION_LEFT);
  let exit: i32 = 0, cost: i64 = 0, again = true;
  const yieldAt = gas - <i64>bound;

  // One iteration of the outer loop is a basic block; if opcodes are checked individually, one iteration runs all of them.
  while (again) {
    again = false;
    if (isFast<M>()) {
      const block = blocks + <usize>load<u16>(index + (pc << 1)) * BLOCK_SIZE;
      const fixed = <i64>load<u32>(block, BLOCK_GAS), height = <u32>((sp - base) >> 5);
      const work = <i64>load<u32>(block, BLOCK_COMPUTATION);
      if (gas < fixed || computation < work || height < <u32>load<u16>(block, BLOCK_NEEDS) || height + <u32>load<u16>(block, BLOCK_GROWTH) > 1024) {
        exit = EXIT_FALLBACK;
        break;
      }
      gas -= fixed;
      computation -= work;
      if (load<u8>(code + pc) == 0x5b) pc++;
    }
    for (;;) {
      const op = <u32>load<u8>(code + pc); // zeros follow the code
      if (isPaid<M>() && bound-- == 0) { exit = EXIT_STEP; break; }
      if (isInteger<M>()) {
        if (bound-- == 0) { exit = EXIT_STEP; break; }
        const entry = ops + (op << 4), height = <i32>((sp - base) >> 5);
        if (!(load<u32>(entry, OP_FLAGS) & OP_VALID)) { exit = EXIT_INVALID_OPCODE; break; }
        if (height < <i32>load<u16>(entry, OP_POPS)) { exit = EXIT_UNDERFLOW; break; }
        if (height + <i32>load<u16>(entry, OP_PUSHES) - <i32>load<u16>(entry, OP_POPS) > 1024) { exit = EXIT_OVERFLOW; break; }
        cost = 0;
        const fixed = <i64>load<u32>(entry, OP_GAS);
        if (gas < fixed) { exit = EXIT_OUT_OF_GAS; break; }
        gas -= fixed;
        computation -= <i64>load<u32>(entry, OP_COMPUTATION);
        if (computation < 0) { exit = EXIT_COMPUTATION; break; }
      }
      switch (op) {
        case 0x00: exit = EXIT_STOP; break;
        case 0x01: word.add(sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x02: word.mul(sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x03: word.sub(sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x04: division.udivmod(sp - 64, 0, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x05: division.sdivmod(sp - 64, 0, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x06: division.udivmod(0, sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x07: division.sdivmod(0, sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x08: division.addmod(sp - 96, sp - 32, sp - 64, sp - 96); sp -= 64; pc++; continue;
        case 0x09: division.mulmod(sp - 96, sp - 32, sp - 64, sp - 96); sp -= 64; pc++; continue;
        case 0x0a: { // EXP
          cost = 10 + <i64>(load<u32>(ops + 0xa0, OP_FLAGS) >> 8) * <i64>((word.bitLength(sp - 64) + 7) >> 3);
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          word.exp(sp, sp - 32, sp - 64); // the word above the top is free
          word.copy(sp - 64, sp);
          sp -= 32; pc++; continue;
        }
        case 0x0b: { const k = clamp64(sp - 32); sp -= 32; if (k < 31) word.signextend(sp - 32, k); pc++; continue; }
        case 0x10: word.set64(sp - 64, u64(word.less(sp - 32, sp - 64))); sp -= 32; pc++; continue;
        case 0x11: word.set64(sp - 64, u64(word.less(sp - 64, sp - 32))); sp -= 32; pc++; continue;
        case 0x12: word.set64(sp - 64, u64(word.signedLess(sp - 32, sp - 64))); sp -= 32; pc++; continue;
        case 0x13: word.set64(sp - 64, u64(word.signedLess(sp - 64, sp - 32))); sp -= 32; pc++; continue;
        case 0x14: word.set64(sp - 64, u64(word.equal(sp - 32, sp - 64))); sp -= 32; pc++; continue;
        case 0x15: word.set64(sp - 32, u64(word.isZero(sp - 32))); pc++; continue;
        case 0x16: word.and(sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x17: word.or(sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x18: word.xor(sp - 64, sp - 32, sp - 64); sp -= 32; pc++; continue;
        case 0x19: word.not(sp - 32, sp - 32); pc++; continue;
        case 0x1a: { const k = clamp64(sp - 32); sp -= 32; word.set64(sp - 32, k < 32 ? <u64>load<u8>(sp - 1 - <usize>k) : 0); pc++; continue; }
        case 0x1b: {
          const n = clamp64(sp - 32); sp -= 32;
          if (n > 255) word.set64(sp - 32, 0); else word.shl(sp - 32, sp - 32, <u32>n);
          pc++; continue;
        }
        case 0x1c: {
          const n = clamp64(sp - 32); sp -= 32;
          if (n > 255) word.set64(sp - 32, 0); else word.shr(sp - 32, sp - 32, <u32>n, 0);
          pc++; continue;
        }
        case 0x1d: { const n = clamp64(sp - 32); sp -= 32; word.sar(sp - 32, sp - 32, n); pc++; continue; }
        case 0x1e: word.set64(sp - 32, 256 - <u64>word.bitLength(sp - 32)); pc++; continue;
        case 0x20: { // KECCAK256
          cost = wordRegion(size, sp - 32, sp - 64);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          cost += perWord(regionSize, 6);
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          sp -= 32; keccak256(sp - 32, mem + regionOffset, regionSize); pc++; continue;
        }
        case 0x30: word.copy(sp, frame + FRAME_ADDRESS); sp += 32; pc++; continue;
        case 0x33: word.copy(sp, frame + FRAME_CALLER); sp += 32; pc++; continue;
        case 0x34: word.copy(sp, frame + FRAME_VALUE); sp += 32; pc++; continue;
        case 0x35: loadPadded(sp - 32, load<usize>(frame, FRAME_INPUT), load<u32>(frame, FRAME_INPUT_SIZE)); pc++; continue;
        case 0x36: word.set64(sp, load<u32>(frame, FRAME_INPUT_SIZE)); sp += 32; pc++; continue;
        case 0x38: word.set64(sp, codeSize); sp += 32; pc++; continue;
        case 0x3d: word.set64(sp, load<u32>(frame, FRAME_RETURN_DATA_SIZE)); sp += 32; pc++; continue;
        case 0x37: case 0x39: { // CALLDATACOPY, CODECOPY
          cost = wordRegion(size, sp - 32, sp - 96);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          cost += perWord(regionSize, 3);
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          if (regionSize) {
            if (op == 0x37) copyPadded(mem + regionOffset, load<usize>(frame, FRAME_INPUT), load<u32>(frame, FRAME_INPUT_SIZE), sp - 64, regionSize);
            else copyPadded(mem + regionOffset, code, codeSize, sp - 64, regionSize);
          }
          sp -= 96; pc++; continue;
        }
        case 0x3e: { // RETURNDATACOPY
          cost = wordRegion(size, sp - 32, sp - 96);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          cost += perWord(regionSize, 3);
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          const data = load<usize>(frame, FRAME_RETURN_DATA), from = clamp64(sp - 64), end = from + <u64>regionSize;
          if (!word.fits64(sp - 64) || end < from || end > <u64>load<u32>(frame, FRAME_RETURN_DATA_SIZE)) {
            if (!isFloat<M>()) { // traces show it; a block that was charged in advance is run again
              gas -= cost;
              if (newSize != size) { grow(mem, size, newSize); size = newSize; }
            }
            exit = EXIT_RETURN_DATA_BOUNDS; break;
          }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          if (!data) { // longer than its region: the host has it
            store<u32>(frame, <u32>regionOffset, FRAME_REGION);
            store<u32>(frame, regionSize, FRAME_REGION_SIZE);
            exit = EXIT_HOST; break;
          }
          if (regionSize) memory.copy(mem + regionOffset, data + <usize>from, regionSize);
          sp -= 96; pc++;
          if (isFloat<M>()) { again = true; break; }
          continue;
        }
        case 0x32: case 0x3a: case 0x41: case 0x42: case 0x43: case 0x44: case 0x45: case 0x46: case 0x48: case 0x4a:
          word.copy(sp, constants + ((op & 31) << 5)); sp += 32; pc++; continue;
        case 0x50: sp -= 32; pc++; continue;
        case 0x51: { // MLOAD
          if (isInside(size, sp - 32)) { word.swapBytes(sp - 32, mem + load<u32>(sp - 32)); pc++; continue; }
          cost = region(size, sp - 32, 32);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          word.swapBytes(sp - 32, mem + regionOffset); pc++; continue;
        }
        case 0x52: { // MSTORE
          if (isInside(size, sp - 32)) { word.swapBytes(mem + load<u32>(sp - 32), sp - 64); sp -= 64; pc++; continue; }
          cost = region(size, sp - 32, 32);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          word.swapBytes(mem + regionOffset, sp - 64); sp -= 64; pc++; continue;
        }
        case 0x53: { // MSTORE8
          cost = region(size, sp - 32, 1);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          store<u8>(mem + regionOffset, load<u8>(sp - 64)); sp -= 64; pc++; continue;
        }
        case 0x54: { // SLOAD
          const left = sload(frame, sp - 32, gas);
          if (left < 0) { exit = measure(frame, op, sp, size, gas); break; }
          gas = left; pc++;
          if (isFloat<M>()) { again = true; break; }
          continue;
        }
        case 0x55: { // SSTORE
          const left = sstore(frame, sp - 32, sp - 64, gas);
          if (left < 0) { exit = measure(frame, op, sp, size, gas); break; }
          gas = left; sp -= 64; pc++;
          if (isFloat<M>()) { again = true; break; }
          continue;
        }
        case 0x3b: { // EXTCODESIZE of a warm account
          const account = findAccount(sp - 32);
          if (!account) { exit = measure(frame, op, sp, size, gas); break; }
          word.set64(sp - 32, load<u32>(load<u32>(account, ACCOUNT_CODE), CODE_SIZE)); pc++;
          if (isFloat<M>()) { again = true; break; }
          continue;
        }
        case 0x56: { // JUMP
          const to = clamp64(sp - 32);
          if (!isJump(jumps, codeSize, to)) { exit = EXIT_BAD_JUMP; break; }
          sp -= 32; pc = <u32>to;
          if (isFloat<M>()) { if (gas < yieldAt) exit = EXIT_YIELD; else again = true; break; }
          continue;
        }
        case 0x57: { // JUMPI
          if (word.isZero(sp - 64)) {
            sp -= 64; pc++;
            if (isFloat<M>()) { again = true; break; }
            continue;
          }
          const to = clamp64(sp - 32);
          if (!isJump(jumps, codeSize, to)) { exit = EXIT_BAD_JUMP; break; }
          sp -= 64; pc = <u32>to;
          if (isFloat<M>()) { if (gas < yieldAt) exit = EXIT_YIELD; else again = true; break; }
          continue;
        }
        case 0x58: word.set64(sp, pc); sp += 32; pc++; continue;
        case 0x59: word.set64(sp, size); sp += 32; pc++; continue;
        case 0x5a: {
          word.set64(sp, gas); sp += 32; pc++;
          if (isFloat<M>()) { again = true; break; }
          continue;
        }
        case 0x5b: {
          if (isFloat<M>()) { again = true; break; }
          pc++; continue;
        }
        case 0x5e: { // MCOPY
          const from = clamp64(sp - 64), farther = word.less(sp - 32, sp - 64) ? sp - 64 : sp - 32;
          cost = wordRegion(size, farther, sp - 96);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          cost += perWord(regionSize, 3);
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          if (regionSize) memory.copy(mem + <usize>load<u64>(sp - 32), mem + <usize>from, regionSize);
          sp -= 96; pc++; continue;
        }
        case 0x5f: word.set64(sp, 0); sp += 32; pc++; continue;
        // PUSH: 33 zero bytes follow the code
        case 0x60: word.set64(sp, load<u8>(code + pc, 1)); sp += 32; pc += 2; continue;
        case 0x61: word.set64(sp, bswap<u16>(load<u16>(code + pc, 1))); sp += 32; pc += 3; continue;
        case 0x62: case 0x63: case 0x64: case 0x65: case 0x66: case 0x67: {
          const n = op - 0x5f;
          word.set64(sp, bswap<u64>(load<u64>(code + pc, 1)) >> <u64>(64 - (n << 3))); sp += 32; pc += n + 1; continue;
        }
        case 0x68: case 0x69: case 0x6a: case 0x6b: case 0x6c: case 0x6d: case 0x6e: case 0x6f: case 0x70: case 0x71: case 0x72: case 0x73:
        case 0x74: case 0x75: case 0x76: case 0x77: case 0x78: case 0x79: case 0x7a: case 0x7b: case 0x7c: case 0x7d: case 0x7e: {
          const n = op - 0x5f;
          word.swapBytes(sp, code + pc + 1); word.shr(sp, sp, 256 - (n << 3), 0); sp += 32; pc += n + 1; continue;
        }
        case 0x7f: word.swapBytes(sp, code + pc + 1); sp += 32; pc += 33; continue;
        case 0x80: case 0x81: case 0x82: case 0x83: case 0x84: case 0x85: case 0x86: case 0x87:
        case 0x88: case 0x89: case 0x8a: case 0x8b: case 0x8c: case 0x8d: case 0x8e: case 0x8f:
          word.copy(sp, sp - ((op - 0x7f) << 5)); sp += 32; pc++; continue;
        case 0x90: case 0x91: case 0x92: case 0x93: case 0x94: case 0x95: case 0x96: case 0x97:
        case 0x98: case 0x99: case 0x9a: case 0x9b: case 0x9c: case 0x9d: case 0x9e: case 0x9f:
          word.swap(sp - ((op - 0x8e) << 5), sp - 32); pc++; continue;
        case 0xa0: case 0xa1: case 0xa2: case 0xa3: case 0xa4: { // LOG: charged here, recorded by the host if there is no room
          cost = wordRegion(size, sp - 32, sp - 64);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          cost += 375 * <i64>(op - 0x9f) + 8 * <i64>regionSize;
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          if (load<u32>(frame, FRAME_FLAGS) & FLAG_STATIC) { exit = EXIT_WRITE_PROTECTION; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          if (writeLog(frame, op - 0xa0, sp - 64, mem + regionOffset, regionSize)) {
            sp -= (op - 0x9e) << 5; pc++;
            if (isFloat<M>()) { again = true; break; }
            continue;
          }
          store<u32>(frame, <u32>regionOffset, FRAME_REGION);
          store<u32>(frame, regionSize, FRAME_REGION_SIZE);
          exit = EXIT_HOST; break;
        }
        case 0xf3: case 0xfd: { // RETURN, REVERT
          cost = wordRegion(size, sp - 32, sp - 64);
          if (cost < 0) { exit = cost == OVERFLOW ? EXIT_GAS_OVERFLOW : EXIT_OUT_OF_GAS; break; }
          if (gas < cost) { exit = EXIT_OUT_OF_GAS; break; }
          gas -= cost;
          if (newSize != size) { grow(mem, size, newSize); size = newSize; }
          store<u32>(frame, <u32>(mem + regionOffset), FRAME_OUTPUT);
          store<u32>(frame, regionSize, FRAME_OUTPUT_SIZE);
          exit = op == 0xf3 ? EXIT_RETURN : EXIT_REVERT; break;
        }
        default:
          if (!(load<u32>(ops + (op << 4), OP_FLAGS) & OP_HOST)) { exit = EXIT_INVALID_OPCODE; break; }
          exit = measure(frame, op, sp, size, gas);
          cost = load<i64>(frame, FRAME_COST); break;
      }
      break; // opcodes that do not leave use `continue`
    }
  }
  if (isFloat<M>()) {
    // A failure inside a block: refund what was charged in advance; the exact loop determines the error.
    if (exit >= EXIT_OUT_OF_GAS && exit <= EXIT_COMPUTATION) {
      chargedAhead(code, codeSize, ops, pc);
      gas += aheadGas;
      computation += aheadComputation;
      exit = EXIT_FALLBACK;
    }
  } else if (exit >= EXIT_OUT_OF_GAS && exit <= EXIT_COMPUTATION) {
    store<i64>(frame, cost, FRAME_COST);
  }
  store<u32>(frame, pc, FRAME_PC);
  store<usize>(frame, sp, FRAME_SP);
  store<i64>(frame, gas, FRAME_GAS);
  store<u32>(frame, size, FRAME_MEMORY_SIZE);
  store<i64>(COMPUTATION_LEFT, computation);
  return exit;
}
