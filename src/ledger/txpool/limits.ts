import type { PoolContent } from "./content/content.ts";
import type { PoolEntry } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";
import { TransactionPoolError } from "./errors.ts";
import type { TransactionPoolOptions } from "./options.ts";

/** Number of transactions, and of slots, above which the pool is full. */
export function capacity(options: TransactionPoolOptions): number {
  return options.execSlotsAll + options.nonExecSlotsAll;
}

/** Drops the highest nonces of a queue that exceeds the per-account limit. */
export function capQueue(content: PoolContent, sender: Sender, options: TransactionPoolOptions): void {
  if (sender.isLocal) return;
  const dropped = sender.queue.keepLowest(options.nonExecSlotsAccount);
  content.tally.queued.limited += dropped.length;
  for (const entry of dropped) content.unindex(entry);
}

/**
 * Brings the number of pending transactions back to its limit: the largest non-local senders lose their highest nonces
 * one by one, but none falls below its guaranteed slots.
 */
export function trimPending(content: PoolContent, options: TransactionPoolOptions): void {
  if (content.pending <= options.execSlotsAll) return;
  const offenders = [...content.senders()].filter(
    (sender) => !sender.isLocal && sender.pending.length > options.execSlotsAccount,
  );
  while (content.pending > options.execSlotsAll) {
    const largest = offenders.reduce<Sender | undefined>(larger, undefined);
    if (largest === undefined || largest.pending.length <= options.execSlotsAccount) return;
    content.change(largest.address, largest.key, ({ pending }) => {
      content.tally.pending.limited++;
      for (const entry of pending.keepLowest(pending.length - 1)) content.unindex(entry);
    });
  }
}

function larger(a: Sender | undefined, b: Sender): Sender {
  return a === undefined || b.pending.length > a.pending.length ? b : a;
}

/** Brings the number of queued transactions back to its limit: the most recently active senders lose first. */
export function trimQueue(content: PoolContent, options: TransactionPoolOptions): void {
  let excess = content.queued - options.nonExecSlotsAll;
  if (excess <= 0) return;
  const beat = (sender: Sender) => content.beats.get(sender.key) ?? 0;
  const candidates = [...content.senders()]
    .filter((sender) => !sender.isLocal && sender.queue.length > 0)
    .sort((a, b) => beat(b) - beat(a));
  for (const sender of candidates) {
    if (excess <= 0) return;
    content.change(sender.address, sender.key, ({ queue }) => {
      const dropped = queue.keepLowest(Math.max(0, queue.length - excess));
      for (const entry of dropped) content.unindex(entry);
      content.tally.queued.limited += dropped.length;
      excess -= dropped.length;
    });
  }
}

/**
 * Makes room in a full pool for an entry that fills a nonce gap in its sender's queue, by dropping that queue's highest
 * nonce and, if this is not enough, the cheapest transactions of non-local senders.
 * @throws TransactionPoolError `POOL_FULL` or `UNDERPRICED` if the entry does not merit it
 */
export function makeRoom(
  content: PoolContent,
  options: TransactionPoolOptions,
  entry: PoolEntry,
  local: boolean,
): void {
  if (content.slots + entry.slots <= capacity(options)) return;
  const queue = content.sender(entry.sender)?.queue;
  if (queue === undefined || queue.length === 0) {
    throw new TransactionPoolError("POOL_FULL", `txpool is full: ${content.size}`);
  }
  const { nonce } = entry.transaction;
  const highest = queue.last as PoolEntry;
  if (queue.get(nonce) !== undefined || highest.transaction.nonce < nonce) {
    const reason = "txpool is full and the new tx does not have missing nonce";
    throw new TransactionPoolError("POOL_FULL", `${reason}: ${content.size}`);
  }
  content.remove(highest);
  if (!local && !content.isLocal(entry.sender) && isUnderpriced(content, entry)) {
    throw new TransactionPoolError("UNDERPRICED", "transaction underpriced");
  }
  if (content.slots + entry.slots <= capacity(options)) return;
  for (const victim of remotesByPrice(content)) {
    content.remove(victim);
    if (content.slots + entry.slots <= capacity(options)) return;
  }
}

/** Whether no transaction in the pool is cheaper. */
function isUnderpriced(content: PoolContent, entry: PoolEntry): boolean {
  for (const { transaction } of content.entries()) {
    if (transaction.gasPrice < entry.transaction.gasPrice) return false;
  }
  return content.size > 0;
}

/** Transactions of non-local senders, cheapest first; at equal prices, highest nonce first. */
function remotesByPrice(content: PoolContent): PoolEntry[] {
  const remotes = [...content.entries()].filter((entry) => !content.isLocal(entry.sender));
  return remotes.sort((a, b) => {
    const byPrice = a.transaction.gasPrice - b.transaction.gasPrice;
    if (byPrice !== 0n) return byPrice < 0n ? -1 : 1;
    return a.transaction.nonce > b.transaction.nonce ? -1 : 1;
  });
}
