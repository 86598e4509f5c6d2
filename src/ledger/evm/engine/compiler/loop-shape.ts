import { Op } from "../../tables/op.ts";
import type { BasicBlock, CodeParts } from "./blocks.ts";
import { nextPc } from "./blocks.ts";
import type { LoopPath, PathBlock } from "./loop-paths.ts";

/** Gas and computation cost. */
export interface Cost {
  readonly gas: number;
  readonly computation: number;
}

/** A block of an iteration. */
export interface PassBlock extends PathBlock {
  readonly block: BasicBlock;
  /** Charged before the block: its cost and that of the blocks after it that are charged with it; undefined if it is charged with one before. */
  readonly price: Cost | undefined;
  /** The share of the blocks after it, which is refunded when the path is left. */
  readonly rest: Cost;
}

/** Requirements of one iteration of a loop. */
export interface LoopShape {
  /** Required stack height, and maximum growth of the stack, words. */
  readonly needs: number;
  readonly growth: number;
  readonly blocks: readonly PassBlock[];
}

const NOTHING: Cost = { gas: 0, computation: 0 };

/** Opcodes with a constant cost that cannot fail once they are charged and the stack is checked, and do not read the gas left. */
const STEADY: ReadonlySet<number> = new Set(
  [
    [Op.add, Op.mulMod],
    [Op.signExtend, Op.signExtend],
    [Op.lt, Op.sar],
    [Op.address, Op.address],
    [Op.origin, Op.callDataSize],
    [Op.codeSize, Op.codeSize],
    [Op.gasPrice, Op.gasPrice],
    [Op.returnDataSize, Op.returnDataSize],
    [Op.coinbase, Op.chainId],
    [Op.baseFee, Op.baseFee],
    [Op.blobBaseFee, Op.blobBaseFee],
    [Op.pop, Op.pop],
    [Op.jump, Op.msize],
    [Op.jumpDest, Op.jumpDest],
    [Op.push0, Op.swap16],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
);

/**
 * Computes the costs and stack effects of a path. Blocks are charged together as long as only the last of them can fail or read the
 * gas left: then charging them individually would make no observable difference.
 */
export function shapeOf(parts: CodeParts, path: LoopPath): LoopShape {
  const blocks: PassBlock[] = [];
  let [needs, growth] = [0, 0];
  let rest = NOTHING;
  for (const [i, step] of [...path.entries()].reverse()) {
    const block = parts.blocks[step.number] as BasicBlock;
    needs = Math.max(needs, block.needs - step.height);
    growth = Math.max(growth, block.growth + step.height);
    const before = i === 0 ? undefined : parts.blocks[path[i - 1]?.number as number];
    const isFirst = before === undefined || !isSteady(parts.code, before);
    const sum = { gas: rest.gas + block.gas, computation: rest.computation + block.computation };
    blocks.unshift({ ...step, block, price: isFirst ? sum : undefined, rest });
    rest = isFirst ? NOTHING : sum;
  }
  return { needs, growth, blocks };
}

function isSteady(code: Uint8Array, { start, end }: BasicBlock): boolean {
  for (let pc = start; pc < end; pc = nextPc(pc, code[pc] ?? 0)) if (!STEADY.has(code[pc] ?? 0)) return false;
  return true;
}
