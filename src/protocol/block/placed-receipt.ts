import type { Receipt } from "./receipt.ts";

/** A receipt, with the totals of its block up to it. */
export interface PlacedReceipt {
  readonly receipt: Receipt;
  /** Number of logs in the receipts before it. */
  readonly firstLogIndex: number;
  /** Gas of all transactions of the block up to this one. */
  readonly cumulativeGasUsed: bigint;
}

/** By the receipts of a block, which are requested one by one while the block is in memory. */
const placed = new WeakMap<readonly Receipt[], readonly PlacedReceipt[]>();

/** The receipts of a block with their cumulative totals. */
export function placedReceipts(receipts: readonly Receipt[]): readonly PlacedReceipt[] {
  const known = placed.get(receipts);
  if (known !== undefined) return known;
  let firstLogIndex = 0;
  let cumulativeGasUsed = 0n;
  const made = receipts.map((receipt) => {
    cumulativeGasUsed += receipt.gasUsed;
    const one = { receipt, firstLogIndex, cumulativeGasUsed };
    firstLogIndex += receipt.logs.length;
    return one;
  });
  placed.set(receipts, made);
  return made;
}
