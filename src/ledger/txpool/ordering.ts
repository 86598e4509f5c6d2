import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { effectiveTip, type PoolEntry } from "./content/entry.ts";

/** Position in one sender's list during iteration. */
interface Cursor {
  readonly entries: readonly PoolEntry[];
  index: number;
  entry: PoolEntry;
  tip: bigint;
}

/**
 * Transactions in block order: highest effective tip first, then by arrival; per sender by nonce. A sender's list ends at
 * the first transaction below the lowest price.
 * @param lists - one list per sender, ascending by nonce; copied at the start
 * @param baseFee - 0 before magma
 * @param lowestPrice - kei per gas; not below the base fee
 */
export function* inBlockOrder(
  lists: Iterable<readonly PoolEntry[]>,
  baseFee: bigint,
  lowestPrice: bigint = baseFee,
): Generator<Transaction, undefined> {
  const heap: Cursor[] = [];
  for (const entries of lists) {
    const entry = entries[0];
    if (entry === undefined || entry.transaction.gasPrice < lowestPrice) continue;
    // Changes of the pool during iteration do not affect the order.
    heap.push({
      entries: [...entries],
      index: 0,
      entry,
      tip: effectiveTip(entry.transaction, baseFee),
    });
  }
  for (let i = (heap.length >>> 1) - 1; i >= 0; i--) siftDown(heap, i);
  while (heap.length > 0) {
    const top = heap[0] as Cursor;
    yield top.entry.transaction;
    if (!advance(top, baseFee, lowestPrice)) removeTop(heap);
    siftDown(heap, 0);
  }
}

function advance(cursor: Cursor, baseFee: bigint, lowestPrice: bigint): boolean {
  const entry = cursor.entries[++cursor.index];
  if (entry === undefined || entry.transaction.gasPrice < lowestPrice) return false;
  cursor.entry = entry;
  cursor.tip = effectiveTip(entry.transaction, baseFee);
  return true;
}

function removeTop(heap: Cursor[]): void {
  const last = heap.pop() as Cursor;
  if (heap.length > 0) heap[0] = last;
}

function comesBefore(a: Cursor, b: Cursor): boolean {
  return a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip;
}

function siftDown(heap: Cursor[], start: number): void {
  const moving = heap[start];
  if (moving === undefined) return;
  let at = start;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    const right = heap[child + 1];
    if (right !== undefined && comesBefore(right, heap[child] as Cursor)) child++;
    const best = heap[child] as Cursor;
    if (comesBefore(moving, best)) break;
    heap[at] = best;
    at = child;
  }
  heap[at] = moving;
}
