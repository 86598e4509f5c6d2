import type { BlockContext, TransactionContext } from "../evm.ts";
import { Op } from "../tables/op.ts";
import { CONSTANTS } from "./layout.ts";
import { writeAddress, writeBigint } from "./words.ts";

/** An opcode that pushes a word of a context, and what writes that word. */
type ConstantWord<Context> = readonly [
  opcode: number,
  write: (words: Uint32Array, at: number, context: Context) => void,
];

const TRANSACTION_WORDS: readonly ConstantWord<TransactionContext>[] = [
  [Op.origin, (words, at, { origin }) => writeAddress(words, at, origin)],
  [Op.gasPrice, (words, at, { gasPrice }) => writeBigint(words, at, gasPrice)],
];

const BLOCK_WORDS: readonly ConstantWord<BlockContext>[] = [
  [Op.coinbase, (words, at, { coinbase }) => writeAddress(words, at, coinbase)],
  [Op.timestamp, (words, at, { time }) => writeBigint(words, at, time)],
  [Op.number, (words, at, { number }) => writeBigint(words, at, number)],
  [Op.difficulty, (words, at, { prevRandao }) => writeBigint(words, at, prevRandao)],
  [Op.gasLimit, (words, at, { gasLimit }) => writeBigint(words, at, gasLimit)],
  [Op.chainId, (words, at, { rules }) => writeBigint(words, at, rules.chainId)],
  [Op.baseFee, (words, at, { baseFee }) => writeBigint(words, at, baseFee)],
  [Op.blobBaseFee, (words, at, { blobBaseFee }) => writeBigint(words, at, blobBaseFee)],
];

/** Opcodes that push a word that is constant in a transaction. */
export const CONSTANT_OPCODES: readonly number[] = [...TRANSACTION_WORDS, ...BLOCK_WORDS].map(
  ([opcode]) => opcode,
);

/** Place in linear memory of the word that an opcode of `CONSTANT_OPCODES` pushes, bytes. */
export function constantPlace(opcode: number): number {
  return CONSTANTS + ((opcode & 31) << 5);
}

/** Writes the words of a transaction. @param words - linear memory */
export function writeTransactionWords(words: Uint32Array, transaction: TransactionContext): void {
  for (const [opcode, write] of TRANSACTION_WORDS) write(words, constantPlace(opcode) >>> 2, transaction);
}

/** Writes the words of a block. @param words - linear memory */
export function writeBlockWords(words: Uint32Array, block: BlockContext): void {
  for (const [opcode, write] of BLOCK_WORDS) write(words, constantPlace(opcode) >>> 2, block);
}
