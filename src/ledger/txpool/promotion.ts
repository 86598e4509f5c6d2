import type { Address } from "../../protocol/primitives/bytes.ts";
import type { PoolContent } from "./content/content.ts";
import type { PoolEntry } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";

/** The chain's head as seen by promotion and demotion. */
export interface HeadView {
  /** Minimum price of the next block; undefined before magma, when all prices are the same. */
  readonly baseFee: bigint | undefined;
  nonceOf(address: Address): bigint;
  /** Whether a transaction could still be executed: it can be paid for, and signers and type rules are still valid. */
  isPayable(entry: PoolEntry): boolean;
  /** Whether the transactions it depends on are present; absent = always. */
  readonly isReady?: ((entry: PoolEntry, sender: Sender, content: PoolContent) => boolean) | undefined;
}

/** Nonce of a sender's next pending transaction. */
export function nextNonce(sender: Sender | undefined, stateNonce: bigint): bigint {
  const last = sender?.pending.last;
  if (last === undefined || last.transaction.nonce < stateNonce) return stateNonce;
  return last.transaction.nonce + 1n;
}

/**
 * Moves executable transactions from the queue of a sender to its pending list.
 * @returns what became pending
 */
export function promote(content: PoolContent, sender: Sender, head: HeadView): PoolEntry[] {
  const { pending, queue } = sender;
  const { baseFee, isReady } = head;
  const start = nextNonce(sender, head.nonceOf(sender.address));
  const run = queue.takeRun(
    start,
    (entry) =>
      (baseFee === undefined || entry.transaction.gasPrice >= baseFee) &&
      (isReady === undefined || isReady(entry, sender, content)),
  );
  return run.filter((entry) => {
    if (!pending.accepts(entry, baseFee !== undefined)) {
      content.tally.pending.discarded++;
      content.unindex(entry);
      return false;
    }
    const replaced = pending.put(entry);
    if (replaced !== undefined) {
      content.tally.pending.replaced++;
      content.unindex(replaced);
    }
    return true;
  });
}

/** Drops queued transactions that can no longer be executed on the new head. */
export function dropStaleQueue(content: PoolContent, sender: Sender, head: HeadView): void {
  for (const entry of sender.queue.removeBelow(head.nonceOf(sender.address))) content.unindex(entry);
  const unpayable = sender.queue.removeWhere((queued) => !head.isPayable(queued));
  content.tally.queued.unpayable += unpayable.length;
  for (const entry of unpayable) content.unindex(entry);
}

/**
 * Removes from a sender's pending list the transactions that the new head has included or made invalid. Those after a nonce
 * gap, and from the first price below the base fee on, go back to the queue.
 */
export function demote(content: PoolContent, sender: Sender, head: HeadView): void {
  const { pending } = sender;
  const nonce = head.nonceOf(sender.address);
  for (const entry of pending.removeBelow(nonce)) content.unindex(entry);

  const removed = pending.removeWhere((entry) => !head.isPayable(entry));
  content.tally.pending.unpayable += removed.length;
  for (const entry of removed) content.unindex(entry);
  const firstGap = pending.entries[0]?.transaction.nonce === nonce ? removed[0]?.transaction.nonce : nonce;
  const cheap = pending.entries.find(({ transaction }) => transaction.gasPrice < (head.baseFee ?? 0n));
  const end = lower(firstGap, cheap?.transaction.nonce);
  if (end === undefined) return;
  for (const entry of pending.removeFrom(end)) content.demote(sender, entry);
}

function lower(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}
