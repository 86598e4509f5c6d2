import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { SenderRecovery } from "../../protocol/transaction/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { Chain, HeadEvent } from "../chain/chain.ts";
import { admit, isPayable } from "./admission.ts";
import { PoolContent } from "./content.ts";
import { type Entry, slotsOf } from "./entry.ts";
import { TransactionPoolError } from "./errors.ts";
import { nonceOf, type PoolHead, poolHeadOf } from "./head.ts";
import { capacity, capQueue, makeRoom, trimPending, trimQueue } from "./limits.ts";
import { completePoolOptions, type TransactionPoolOptions } from "./options.ts";
import { inBlockOrder } from "./ordering.ts";
import type { PoolContents, TransactionOrigin, TransactionPool } from "./pool.ts";
import { demote, dropStaleQueue, type HeadView, nextNonce, promote } from "./promotion.ts";
import type { Sender } from "./sender.ts";

/** Pending transactions that are checked in full at each new head; of the others only nonces and prices. */
const FULL_CHECKS_PER_HEAD = 1_000;
/** Blocks that may leave the chain at once for their transactions to come back to the pool. */
const MAX_REORG_DEPTH = 64;

/** What a pool works with. */
export interface PoolDependencies {
  readonly chain: Chain;
  readonly recovery: SenderRecovery;
  readonly options?: Partial<TransactionPoolOptions>;
  /** Epoch milliseconds; tells how long a queue has waited. */
  readonly now: () => number;
  /** Told of each transaction of a local sender that the pool took. */
  readonly onLocal?: (entry: Entry) => void;
}

/** The pool over a chain. It follows the chain's head from its making until `close`. */
export class ChainTransactionPool implements TransactionPool {
  readonly options: TransactionPoolOptions;
  readonly #deps: PoolDependencies;
  readonly #content = new PoolContent();
  readonly #listeners = new Set<(transactions: readonly Transaction[]) => void>();
  readonly #unsubscribe: () => void;
  #head: PoolHead;
  #view: HeadView;
  #arrivals = 0;

  constructor(deps: PoolDependencies) {
    this.#deps = deps;
    this.options = completePoolOptions(deps.options);
    this.#head = poolHeadOf(deps.chain);
    this.#view = viewOf(this.#head);
    this.#unsubscribe = deps.chain.onHead((event) => this.#follow(event));
  }

  /** Stops following the chain. */
  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }

  async add(transaction: Transaction, origin: TransactionOrigin): Promise<Hash> {
    this.#checkOrigin(transaction, origin);
    await this.#deps.recovery.recover([transaction]);
    return this.#insert(transaction, origin.local && !this.options.noLocals);
  }

  async addAll(transactions: readonly Transaction[], origin: TransactionOrigin): Promise<(Hash | Error)[]> {
    await this.#deps.recovery.recover(transactions);
    return transactions.map((transaction) => {
      try {
        this.#checkOrigin(transaction, origin);
        return this.#insert(transaction, origin.local && !this.options.noLocals);
      } catch (error) {
        if (error instanceof Error) return error;
        throw error;
      }
    });
  }

  get(hash: Hash): Transaction | undefined {
    return this.#content.get(bytesToHex(hash))?.transaction;
  }

  /** Whether a transaction is in the pool. */
  has(transaction: Transaction): boolean {
    return this.#content.get(keyOf(transaction)) !== undefined;
  }

  isPending(hash: Hash): boolean | undefined {
    const entry = this.#content.get(bytesToHex(hash));
    if (entry === undefined) return undefined;
    return this.#content.sender(entry.sender)?.pending.get(entry.transaction.nonce) === entry;
  }

  senderOf(transaction: Transaction): Address {
    const entry = this.#content.get(bytesToHex(transactionHash(transaction)));
    if (entry === undefined)
      throw new TransactionPoolError("UNKNOWN_TRANSACTION", "transaction is not in the pool");
    return entry.from;
  }

  nonce(address: Address): bigint {
    return nextNonce(this.#content.sender(bytesToHex(address)), nonceOf(this.#head.state, address));
  }

  content(): PoolContents {
    const pending = new Map<string, readonly Transaction[]>();
    const queued = new Map<string, readonly Transaction[]>();
    for (const sender of this.#content.senders()) {
      if (sender.pending.length > 0) pending.set(sender.key, transactionsOf(sender.pending.entries));
      if (sender.queue.length > 0) queued.set(sender.key, transactionsOf(sender.queue.entries));
    }
    return { pending, queued };
  }

  contentOf(address: Address): { pending: readonly Transaction[]; queued: readonly Transaction[] } {
    const sender = this.#content.sender(bytesToHex(address));
    return {
      pending: transactionsOf(sender?.pending.entries ?? []),
      queued: transactionsOf(sender?.queue.entries ?? []),
    };
  }

  status(): { pending: number; queued: number } {
    return { pending: this.#content.pending, queued: this.#content.queued };
  }

  *executable(baseFee: bigint): Generator<Transaction, undefined> {
    yield* inBlockOrder(pendingLists(this.#content), baseFee);
  }

  /** Transactions of local senders, in block order: what the journal keeps. */
  *locals(): Generator<Transaction, undefined> {
    for (const sender of this.#content.senders()) {
      if (!sender.isLocal) continue;
      yield* transactionsOf(sender.pending.entries);
      yield* transactionsOf(sender.queue.entries);
    }
  }

  remove(transactions: Iterable<Transaction>): void {
    for (const transaction of transactions) {
      const entry = this.#content.get(bytesToHex(transactionHash(transaction)));
      if (entry !== undefined) this.#content.remove(entry);
    }
  }

  onPending(listener: (transactions: readonly Transaction[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Drops queues that waited longer than the life time; call it about once a minute. */
  expire(): void {
    const { beats } = this.#content;
    const oldest = this.#deps.now() - this.options.lifetimeMs;
    for (const [key, beat] of beats) {
      const sender = this.#content.sender(key);
      if (this.options.keepLocals && sender?.isLocal === true) beats.delete(key);
      else if (beat < oldest) {
        beats.delete(key);
        if (sender !== undefined) this.#dropQueue(sender);
      }
    }
  }

  #dropQueue({ address, key }: Sender): void {
    this.#content.change(address, key, ({ queue }) => {
      for (const entry of queue.keepLowest(0)) this.#content.forget(entry);
    });
  }

  /** What is refused because of where it comes from. */
  #checkOrigin({ type }: Transaction, { local }: TransactionOrigin): void {
    if (!local) {
      if (!this.options.denyRemote) return;
      throw new TransactionPoolError("REMOTE_DENIED", "remote transactions are not accepted");
    }
    if (type.effect === "anchor" && !this.options.allowLocalAnchoring) {
      const text = "locally anchoring chaindata tx is not allowed in this node";
      throw new TransactionPoolError("ANCHORING_NOT_ALLOWED", text);
    }
    if (this.#content.size >= capacity(this.options)) {
      throw new TransactionPoolError("POOL_FULL", `txpool is full: ${this.#content.size}`);
    }
  }

  #insert(transaction: Transaction, local: boolean): Hash {
    const hash = transactionHash(transaction);
    const hashKey = bytesToHex(hash);
    if (this.#content.get(hashKey) !== undefined) {
      throw new TransactionPoolError("KNOWN_TRANSACTION", `known transaction: ${hashKey.slice(2)}`);
    }
    const { from, size, authorities } = admit(transaction, this.#head, this.#content);
    const entry: Entry = {
      transaction,
      hash,
      hashKey,
      from,
      sender: bytesToHex(from),
      slots: slotsOf(size),
      arrival: this.#arrivals++,
      authorities: authorities.map(bytesToHex),
    };
    makeRoom(this.#content, this.options, entry, local);
    const promoted = this.#place(entry, local);
    if (this.#content.isLocal(entry.sender)) this.#deps.onLocal?.(entry);
    this.#trim();
    this.#announce(promoted);
    return hash;
  }

  /** Puts an entry into its sender's lists. @returns what became pending */
  #place(entry: Entry, local: boolean): Entry[] {
    const content = this.#content;
    return content.change(entry.from, entry.sender, (sender) => {
      const isPending = sender.pending.get(entry.transaction.nonce) !== undefined;
      const list = isPending ? sender.pending : sender.queue;
      const result = list.put(entry, this.#head.rules.magma);
      if (!result.placed) {
        const text = "there is another tx which has the same nonce in the tx pool";
        throw new TransactionPoolError("NONCE_TAKEN", text);
      }
      if (result.replaced !== undefined) content.forget(result.replaced);
      content.index(entry);
      if (local) content.markLocal(entry.sender);
      return isPending ? [entry] : this.#promote(sender);
    });
  }

  #promote(sender: Sender): Entry[] {
    const { beats } = this.#content;
    const promoted = promote(this.#content, sender, this.#view);
    if (promoted.length > 0 || !beats.has(sender.key)) beats.set(sender.key, this.#deps.now());
    capQueue(this.#content, sender, this.options);
    return promoted;
  }

  #trim(): void {
    trimPending(this.#content, this.options);
    trimQueue(this.#content, this.options);
  }

  #announce(entries: readonly Entry[]): void {
    const kept = entries.filter((entry) => this.#content.get(entry.hashKey) === entry);
    if (kept.length === 0) return;
    const transactions = transactionsOf(kept);
    for (const listener of this.#listeners) listener(transactions);
  }

  /** Brings the pool in line with a new head. */
  #follow({ added, removed }: HeadEvent): void {
    this.#head = poolHeadOf(this.#deps.chain);
    this.#view = viewOf(this.#head);
    if (removed.length > 0 && removed.length <= MAX_REORG_DEPTH) this.#reinject({ added, removed });
    let checks = FULL_CHECKS_PER_HEAD;
    const promoted: Entry[] = [];
    for (const { address, key } of this.#content.senders()) {
      this.#content.change(address, key, (sender) => {
        demote(this.#content, sender, this.#view, checks > 0);
        checks -= sender.pending.length;
        if (sender.queue.length === 0) return;
        dropStaleQueue(this.#content, sender, this.#view);
        promoted.push(...this.#promote(sender));
      });
    }
    this.#trim();
    this.#announce(promoted);
  }

  /** Takes back what left the chain and did not come in again by another block. */
  #reinject({ added, removed }: HeadEvent): void {
    const included = new Set(added.flatMap(({ block }) => block.transactions.map(keyOf)));
    for (const { block } of removed.toReversed()) {
      for (const transaction of block.transactions) {
        if (included.has(keyOf(transaction))) continue;
        try {
          this.#insert(transaction, false);
        } catch (error) {
          // One that no longer fits the new branch is gone for good.
          if (!(error instanceof Error)) throw error;
        }
      }
    }
  }
}

function viewOf(head: PoolHead): HeadView {
  return {
    baseFee: head.rules.magma ? head.price : undefined,
    nonceOf: (address) => nonceOf(head.state, address),
    isPayable: ({ transaction, from }) => isPayable(transaction, from, head),
  };
}

function* pendingLists(content: PoolContent): Generator<readonly Entry[]> {
  for (const sender of content.senders()) yield sender.pending.entries;
}

function transactionsOf(entries: readonly Entry[]): Transaction[] {
  return entries.map(({ transaction }) => transaction);
}

function keyOf(transaction: Transaction): string {
  return bytesToHex(transactionHash(transaction));
}
