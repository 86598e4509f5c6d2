import { Op } from "../../tables/op.ts";

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

/**
 * Gas of a failed opcode beyond its fixed part, as traces of the reference node show it, which has computed it although no amount of gas
 * would suffice. Of opcodes that the host executes (calls, creations, EXTCODECOPY), the gas of such memory is not shown.
 * @param cost - as the interpreter left it: the gas itself; -1 or -2 if memory would exceed the reference's bound, which counts as
 *   nothing; else the negated gas of the memory
 * @param operand - a word of the stack by its depth, 0 = top
 */
export function unpaidGas(cost: bigint, op: number, operand: (depth: number) => bigint): bigint {
  if (cost >= 0n) return cost;
  const memory = -cost;
  if (memory <= 2n) return 0n;
  if (op >= Op.log0 && op <= Op.log4)
    return memory + LOG_GAS * BigInt(op - Op.log0 + 1) + LOG_DATA_GAS * operand(1);
  const row = PER_WORD.get(op);
  if (row === undefined) return memory;
  const [gas, size] = row;
  return memory + gas * ((operand(size) + 31n) >> 5n);
}
