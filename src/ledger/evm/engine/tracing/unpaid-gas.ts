import { Op } from "../../tables/op.ts";
import type { Execution } from "../execution.ts";
import { FRAME_CALL_GAS, FRAME_COST } from "../layout.ts";

/** Gas per word of a range, and the depth of the range's size on the stack. */
const PER_WORD = new Map<number, readonly [gas: bigint, size: number]>([
  [Op.keccak256, [6n, 1]],
  [Op.callDataCopy, [3n, 2]],
  [Op.codeCopy, [3n, 2]],
  [Op.returnDataCopy, [3n, 2]],
  [Op.mcopy, [3n, 2]],
]);
const LOG_GAS = 375n;
const LOG_DATA_GAS = 8n;

/** Opcodes that pass gas on. */
const CALLS: ReadonlySet<number> = new Set([Op.call, Op.callCode, Op.delegateCall, Op.staticCall]);

/**
 * Gas of a failed opcode beyond its fixed part, as traces of the reference node show it, which has computed it although no amount of gas
 * would suffice.
 * @param run - whose current frame has failed with "out of gas". Its cost is what the opcode was found to cost; -1 or -2 if memory would
 *   exceed the reference's bound, which counts as nothing; else the negated gas of the memory
 * @param operand - a word of the stack by its depth, 0 = top
 */
export function unpaidGas(run: Execution, op: number, operand: (depth: number) => bigint): bigint {
  const { i64 } = run.machine;
  const cost = i64[(run.record + FRAME_COST) >>> 3] as bigint;
  if (cost >= 0n)
    return CALLS.has(op)
      ? cost + BigInt.asUintN(64, i64[(run.record + FRAME_CALL_GAS) >>> 3] as bigint)
      : cost;
  const memory = -cost;
  if (memory <= 2n) return 0n;
  if (op >= Op.log0 && op <= Op.log4)
    return memory + LOG_GAS * BigInt(op - Op.log0 + 1) + LOG_DATA_GAS * operand(1);
  const row = PER_WORD.get(op);
  if (row === undefined) return memory;
  const [gas, size] = row;
  return memory + gas * ((operand(size) + 31n) >> 5n);
}
