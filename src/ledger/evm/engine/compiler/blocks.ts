import { Op } from "../../tables/op.ts";
import {
  MAX_BLOCK_CODE,
  NEEDS_EXACT,
  OP_COMPUTATION,
  OP_ENDS,
  OP_FLAGS,
  OP_GAS,
  OP_POPS,
  OP_PUSHES,
  OP_VALID,
} from "../layout.ts";

/** A basic block, with what is charged and checked at its start; numbered as in the interpreter's block table. */
export interface BasicBlock {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly gas: number;
  readonly computation: number;
  /** Required stack height, and maximum growth of the stack, words. `NEEDS_EXACT`: only the exact loop may run the block. */
  readonly needs: number;
  readonly growth: number;
}

/** Input of the compiler. */
export interface CodeParts {
  readonly code: Uint8Array;
  /** The opcode table, laid out as in linear memory. */
  readonly table: DataView;
  readonly blocks: readonly BasicBlock[];
  /** Numbers of the blocks at valid jump targets. */
  readonly targets: ReadonlyMap<number, number>;
  /** Binary logarithm of the number of blocks per part. */
  readonly partBits: number;
}

/** EXTCODESIZE, RETURNDATACOPY, SLOAD, SSTORE, GAS and LOGs end a block and fall through, unless the host is needed. */
export const GOES_ON: ReadonlySet<number> = new Set([
  ...[Op.extCodeSize, Op.returnDataCopy, Op.sload, Op.sstore, Op.gas],
  ...[Op.log0, Op.log1, Op.log2, Op.log3, Op.log4],
]);

/** Program counter of the opcode after the one at `pc`. */
export function nextPc(pc: number, opcode: number): number {
  return pc + (opcode >= Op.push1 && opcode <= Op.push32 ? opcode - Op.push0 + 1 : 1);
}

/** The value pushed by the opcode at `pc`; undefined unless it is a PUSH. */
export function pushedBy(code: Uint8Array, pc: number): bigint | undefined {
  const opcode = code[pc] ?? 0;
  if (opcode < Op.push0 || opcode > Op.push32) return undefined;
  let value = 0n;
  for (let at = pc + 1; at <= pc + opcode - Op.push0; at++) value = (value << 8n) | BigInt(code[at] ?? 0);
  return value;
}

/**
 * The basic blocks of bytecode, equal to those of the interpreter's analysis.
 * @param table - the opcode table of the rule set, laid out as in linear memory
 * @param most - maximum number of blocks
 * @returns undefined if there are more, or the code is too long for a block table
 */
export function findBlocks(
  code: Uint8Array,
  table: DataView,
  most: number,
): readonly BasicBlock[] | undefined {
  if (code.length > MAX_BLOCK_CODE) return undefined;
  const blocks: BasicBlock[] = [];
  let sums = new Sums(0);
  for (let pc = 0; pc <= code.length; ) {
    const opcode = code[pc] ?? 0;
    if (opcode === Op.jumpDest && pc !== sums.start) {
      blocks.push(sums.until(pc));
      sums = new Sums(pc);
    }
    sums.add(table, opcode);
    pc = nextPc(pc, opcode);
    if (flagsOf(table, opcode) & OP_ENDS) {
      blocks.push(sums.until(pc));
      sums = new Sums(pc);
    }
    if (blocks.length > most) return undefined;
  }
  if (sums.start <= code.length) blocks.push(sums.until(code.length + 1));
  return blocks;
}

/** Numbers of the blocks by valid jump target: every JUMPDEST begins a block. */
export function targetBlocks(code: Uint8Array, blocks: readonly BasicBlock[]): ReadonlyMap<number, number> {
  const numbers: Map<number, number> = new Map();
  for (const [number, { start }] of blocks.entries())
    if (code[start] === Op.jumpDest) numbers.set(start, number);
  return numbers;
}

/** `OP_FLAGS` of an opcode. */
export function flagsOf(table: DataView, opcode: number): number {
  return table.getUint32(opcode * 16 + OP_FLAGS, true);
}

/** Accumulates the costs and stack effects of a block. */
class Sums {
  readonly start: number;
  #gas = 0;
  #computation = 0;
  #height = 0;
  #needs = 0;
  #growth = 0;

  constructor(start: number) {
    this.start = start;
  }

  add(table: DataView, opcode: number): void {
    const at = opcode * 16;
    const pops = table.getUint16(at + OP_POPS, true);
    this.#gas += table.getUint32(at + OP_GAS, true);
    this.#computation += table.getUint32(at + OP_COMPUTATION, true);
    this.#needs = Math.max(this.#needs, pops - this.#height);
    this.#height += table.getUint16(at + OP_PUSHES, true) - pops;
    this.#growth = Math.max(this.#growth, this.#height);
    if (!(flagsOf(table, opcode) & OP_VALID)) this.#needs = NEEDS_EXACT;
  }

  until(end: number): BasicBlock {
    const needs = Math.min(this.#needs, NEEDS_EXACT);
    const growth = Math.min(this.#growth, NEEDS_EXACT);
    return {
      ...{ start: this.start, end, gas: this.#gas, computation: this.#computation },
      ...{ needs, growth },
    };
  }
}
