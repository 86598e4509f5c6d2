import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { transactionHash, transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { PoolContent } from "./content/content.ts";
import { type PoolEntry, slotsOf } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";
import { TransactionPoolError } from "./errors.ts";
import { nonceOf, type PoolHead } from "./head.ts";
import { capQueue, makeRoom, trimPending, trimQueue } from "./limits.ts";
import type { TransactionPoolOptions } from "./options.ts";
import { demote, dropStaleQueue, type HeadView, promote } from "./promotion.ts";
import { admit, isPayable } from "./rules/admission.ts";
import type { BlobVerdicts } from "./rules/blob-proofs.ts";

/**
 * Transactions fully revalidated at each new head, 4 to 5 µs each; of the others only nonces and prices are checked. Whoever builds a
 * block finds those that can no longer be executed.
 */
const FULL_CHECKS_PER_HEAD = 200;

/** Dependencies of the core. */
export interface PoolCoreParts {
  readonly options: TransactionPoolOptions;
  readonly head: PoolHead;
  readonly verdicts: BlobVerdicts;
  /** Milliseconds of `Clock.elapsed`, for the age of queues. */
  readonly now: () => number;
  /** Persists a transaction of a local sender: resolves once it is, rejects if it cannot be. */
  readonly keep?: ((transaction: Transaction) => Promise<void> | undefined) | undefined;
  /** Called with newly pending transactions, after limits have been applied. */
  readonly onPending: (entries: readonly PoolEntry[]) => void;
}

/** Applies the pool's rules to its contents, for one head after another. Synchronous. */
export class PoolCore {
  readonly content = new PoolContent();
  readonly #parts: PoolCoreParts;
  #head: PoolHead;
  #view: HeadView;
  #arrivals = 0;

  constructor(parts: PoolCoreParts) {
    this.#parts = parts;
    this.#head = parts.head;
    this.#view = viewOf(parts.head);
  }

  get head(): PoolHead {
    return this.#head;
  }

  /** Moves to a new head; senders must then be brought in line with it by `review`. */
  setHead(head: PoolHead): void {
    this.#head = head;
    this.#view = viewOf(head);
  }

  /**
   * Checks and adds a transaction whose signers have been recovered. An entry that is then not written is to be withdrawn.
   * @throws TransactionPoolError, TransactionRejection; MissingState until the required state is available
   */
  insert(transaction: Transaction, local: boolean): PoolEntry {
    try {
      return this.#insert(transaction, local);
    } catch (error) {
      this.#countRefusal(error);
      throw error;
    }
  }

  #insert(transaction: Transaction, local: boolean): PoolEntry {
    const { content } = this;
    this.#head.lending?.screen(transaction, content);
    const hash = transactionHash(transaction);
    const hashKey = transactionKey(transaction);
    if (content.get(hashKey) !== undefined) {
      throw new TransactionPoolError("KNOWN_TRANSACTION", `known transaction: ${hashKey.slice(2)}`);
    }
    const { options, verdicts } = this.#parts;
    const { from, size, authorities } = admit(transaction, this.#head, content, {
      maxGas: options.maxGas,
      verdicts,
    });
    const entry: PoolEntry = {
      transaction,
      hash,
      hashKey,
      from,
      sender: bytesToHex(from),
      slots: slotsOf(size),
      arrival: this.#arrivals++,
      authorities: authorities.map(bytesToHex),
      written: undefined,
      replaced: undefined,
    };
    makeRoom(content, options, entry, local);
    const promoted = this.#enqueue(entry, local);
    this.#settle(promoted);
    return entry;
  }

  /** Removes an entry that could not be written; the one that it had replaced returns. */
  withdraw(entry: PoolEntry): void {
    if (this.content.get(entry.hashKey) !== entry) return;
    this.content.remove(entry);
    const { replaced } = entry;
    if (replaced === undefined) return;
    const promoted = this.content.change(entry.from, entry.sender, (sender) => {
      sender.queue.put(replaced);
      this.content.index(replaced);
      return this.#promote(sender);
    });
    this.#settle(promoted);
  }

  /** Known transactions and taken nonces are counted elsewhere or not at all. */
  #countRefusal(error: unknown): void {
    const { tally } = this.content;
    if (!(error instanceof NodeError)) return;
    if (error.code === "UNDERPRICED") tally.underpriced++;
    else if (error.code === "POOL_FULL") tally.refused++;
    else if (error.code !== "KNOWN_TRANSACTION" && error.code !== "NONCE_TAKEN") tally.invalid++;
  }

  /** Demotes and promotes as the head requires. */
  review(senders: Iterable<Sender>): void {
    const view = checkingAtMost(FULL_CHECKS_PER_HEAD, this.#view);
    const promoted: PoolEntry[] = [];
    for (const { address, key } of senders) {
      this.content.change(address, key, (sender) => {
        demote(this.content, sender, view);
        if (sender.queue.length === 0) return;
        dropStaleQueue(this.content, sender, view);
        promoted.push(...this.#promote(sender));
      });
    }
    this.#settle(promoted);
  }

  /** Drops queues older than the lifetime. */
  expire(): void {
    const { beats } = this.content;
    const { options, now } = this.#parts;
    const oldest = now() - options.lifetimeMs;
    for (const [key, beat] of beats) {
      const sender = this.content.sender(key);
      if (options.keepLocals && sender?.isLocal === true) beats.delete(key);
      else if (beat < oldest) {
        beats.delete(key);
        if (sender !== undefined) this.#dropQueue(sender);
      }
    }
  }

  #dropQueue({ address, key }: Sender): void {
    this.content.change(address, key, ({ queue }) => {
      for (const entry of queue.keepLowest(0)) this.content.unindex(entry);
    });
  }

  /** Adds an entry to its sender's lists. @returns what became pending */
  #enqueue(entry: PoolEntry, local: boolean): PoolEntry[] {
    const { content } = this;
    return content.change(entry.from, entry.sender, (sender) => {
      const isPending = sender.pending.get(entry.transaction.nonce) !== undefined;
      const list = isPending ? sender.pending : sender.queue;
      const tally = isPending ? content.tally.pending : content.tally.queued;
      if (!list.accepts(entry, this.#head.rules.magma)) {
        tally.discarded++;
        const text = "there is another tx which has the same nonce in the tx pool";
        throw new TransactionPoolError("NONCE_TAKEN", text);
      }
      if (local || content.isLocal(entry.sender)) this.#keep(entry);
      const replaced = list.put(entry);
      if (replaced !== undefined) {
        tally.replaced++;
        content.unindex(replaced);
        if (entry.written !== undefined) entry.replaced = replaced;
      }
      content.index(entry);
      if (local) content.markLocal(entry.sender);
      return isPending ? [entry] : this.#promote(sender);
    });
  }

  /** Journals a transaction, unless it is part of a bundle: those are short-lived. */
  #keep(entry: PoolEntry): void {
    if (this.#head.lending?.isBundlePart(entry.transaction) === true) return;
    entry.written = this.#parts.keep?.(entry.transaction);
  }

  #promote(sender: Sender): PoolEntry[] {
    const { beats } = this.content;
    const promoted = promote(this.content, sender, this.#view);
    if (promoted.length > 0 || !beats.has(sender.key)) beats.set(sender.key, this.#parts.now());
    capQueue(this.content, sender, this.#parts.options);
    return promoted;
  }

  /** Brings the pool back within its limits and announces those promoted that are still there. */
  #settle(promoted: readonly PoolEntry[]): void {
    trimPending(this.content, this.#parts.options);
    trimQueue(this.content, this.#parts.options);
    const kept = promoted.filter((entry) => this.content.get(entry.hashKey) === entry);
    if (kept.length > 0) this.#parts.onPending(kept);
  }
}

/** The same view; after so many full checks, whatever it is asked for counts as payable. */
function checkingAtMost(checks: number, view: HeadView): HeadView {
  let left = checks;
  return { ...view, isPayable: (entry) => left-- <= 0 || view.isPayable(entry) };
}

function viewOf(head: PoolHead): HeadView {
  const { lending } = head;
  return {
    baseFee: head.rules.magma ? head.price : undefined,
    nonceOf: (address) => nonceOf(head.state, address),
    isPayable: ({ transaction, from }) => isPayable(transaction, from, head),
    isReady: lending && ((entry, sender, content) => lending.isReady(entry, sender, head.state, content)),
  };
}
