// Basic blocks of bytecode: total static gas and computation cost, required stack height and stack growth.
import {
  BLOCK_COMPUTATION, BLOCK_GAS, BLOCK_GROWTH, BLOCK_NEEDS, BLOCK_SIZE, MAX_BLOCK_CODE, NEEDS_EXACT,
  OP_COMPUTATION, OP_ENDS, OP_FLAGS, OP_GAS, OP_POPS, OP_PUSHES, OP_VALID,
} from "../../layout";

const JUMPDEST: u32 = 0x5b;

// @ts-ignore: decorator
@inline function next(pc: u32, op: u32): u32 {
  return pc + (op >= 0x60 && op <= 0x7f ? op - 0x5e : 1);
}

/** Fills the bitmap of valid jump targets, one bit per code byte. */
export function markJumps(code: usize, size: u32, jumps: usize): void {
  memory.fill(jumps, 0, (size >> 3) + 1);
  for (let pc: u32 = 0; pc < size;) {
    const op = <u32>load<u8>(code + pc);
    if (op == JUMPDEST) {
      const at = jumps + (pc >> 3);
      store<u8>(at, load<u8>(at) | (<u8>1 << <u8>(pc & 7)));
    }
    pc = next(pc, op);
  }
}

let gas: u32 = 0, computation: u32 = 0, height: i32 = 0, needs: i32 = 0, growth: i32 = 0;

function begin(): void {
  gas = 0; computation = 0; height = 0; needs = 0; growth = 0;
}

function end(index: usize, start: u32, blocks: usize, number: u32): void {
  store<u16>(index + (start << 1), <u16>number);
  const at = blocks + number * BLOCK_SIZE;
  store<u32>(at, gas, BLOCK_GAS);
  store<u16>(at, <u16>min(needs, NEEDS_EXACT), BLOCK_NEEDS);
  store<u16>(at, <u16>min(growth, NEEDS_EXACT), BLOCK_GROWTH);
  store<u32>(at, computation, BLOCK_COMPUTATION);
}

/**
 * Fills the block table at `table` (8-byte aligned): the 32-bit address of the block entries, then a 16-bit index per code byte (code size + 1 of
 * them), then the entries. A block starts at pc 0, at a JUMPDEST and after an opcode that ends one.
 * Returns the number of bytes written, 0 if the code is too long for a table.
 */
export function analyse(code: usize, size: u32, table: usize, ops: usize): u32 {
  if (size > <u32>MAX_BLOCK_CODE) return 0;
  const index = table + 8, blocks = (index + ((size + 2) << 1) + 15) & ~15;
  store<u32>(table, <u32>blocks);
  let start: u32 = 0, pc: u32 = 0, number: u32 = 0;
  begin();
  while (pc <= size) {
    const op = pc < size ? <u32>load<u8>(code + pc) : 0;
    if (op == JUMPDEST && pc != start) {
      end(index, start, blocks, number++);
      start = pc;
      begin();
    }
    const entry = ops + (op << 4), flags = load<u32>(entry, OP_FLAGS);
    const pops = <i32>load<u16>(entry, OP_POPS), pushes = <i32>load<u16>(entry, OP_PUSHES);
    gas += load<u32>(entry, OP_GAS);
    computation += load<u32>(entry, OP_COMPUTATION);
    if (pops - height > needs) needs = pops - height;
    height += pushes - pops;
    if (height > growth) growth = height;
    if (!(flags & OP_VALID)) needs = NEEDS_EXACT;
    pc = next(pc, op);
    if (flags & OP_ENDS) {
      end(index, start, blocks, number++);
      start = pc;
      begin();
    }
  }
  if (start <= size) end(index, start, blocks, number++);
  return <u32>(blocks - table) + number * BLOCK_SIZE;
}

/** Results of `chargedAhead`. */
export let aheadGas: i64 = 0;
export let aheadComputation: i64 = 0;

/** Static costs of the rest of a block from pc (inclusive), which the fast loop has charged in advance. */
export function chargedAhead(code: usize, size: u32, ops: usize, pc: u32): void {
  aheadGas = 0;
  aheadComputation = 0;
  for (let first = true; pc <= size; first = false) {
    const op = pc < size ? <u32>load<u8>(code + pc) : 0;
    if (op == JUMPDEST && !first) break;
    const entry = ops + (op << 4);
    aheadGas += load<u32>(entry, OP_GAS);
    aheadComputation += load<u32>(entry, OP_COMPUTATION);
    if (load<u32>(entry, OP_FLAGS) & OP_ENDS) break;
    pc = next(pc, op);
  }
}
