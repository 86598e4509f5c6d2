// One class: admission, promotion and following the head all change the same lists. Rules and contents are in other files.
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { senderOf } from "../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import type { Chain, HeadEvent } from "../chain/chain.ts";
import type { Health } from "../database/disk-health.ts";
import { retryUntilLoaded } from "../state/missing-state.ts";
import { Announcements } from "./announcements.ts";
import type { PoolContent } from "./content/content.ts";
import { type PoolEntry, transactionsOf } from "./content/entry.ts";
import type { Sender } from "./content/sender.ts";
import type { PoolTally } from "./content/tally.ts";
import { TransactionPoolError } from "./errors.ts";
import type { FeeLending } from "./fee-lending.ts";
import { nonceOf, poolHeadOf } from "./head.ts";
import { capacity } from "./limits.ts";
import { completePoolOptions, type TransactionPoolOptions } from "./options.ts";
import { inBlockOrder } from "./ordering.ts";
import type { PoolContents, TransactionOrigin, TransactionPool } from "./pool.ts";
import { PoolCore } from "./pool-core.ts";
import { nextNonce } from "./promotion.ts";
import { isRefusedUnrecovered } from "./rules/admission.ts";
import { BlobVerdicts, type BlobVerifier } from "./rules/blob-proofs.ts";

/** Number of new heads between two reviews of every sender. */
const FULL_REVIEW_INTERVAL_BLOCKS = 16;
/** Deepest reorganisation, in blocks, whose transactions return to the pool. */
const MAX_REORG_DEPTH = 64;

/** The journal as used by the pool. */
export interface PoolJournal {
  /** Persists a transaction that the pool adds: resolves once it is, rejects if it cannot be; undefined if it need not be. */
  add(transaction: Transaction): Promise<void> | undefined;
  /** Requests a rewrite, as the journal may contain transactions no longer in the pool. */
  rotate(): void;
  /** Resolves when requested rewrites have ended; undefined if none is in progress. */
  settled(): Promise<void> | undefined;
  /** Whether it can be written. */
  readonly health: Health;
}

/** Dependencies of a pool. */
export interface PoolDependencies {
  readonly chain: Chain;
  readonly recovery: SenderRecovery;
  readonly options?: Partial<TransactionPoolOptions>;
  /** Milliseconds of `Clock.elapsed`, for the age of queues. */
  readonly now: () => number;
  /** Keeps transactions of local senders across restarts; absent = none are kept. */
  readonly journal?: PoolJournal | undefined;
  /** Absent = no fee lending. */
  readonly lending?: FeeLending | undefined;
  /** Absent = blob transactions are refused. */
  readonly blobs?: BlobVerifier | undefined;
}

/** The pool of a chain. It follows the chain's head from construction until `close`. */
export class ChainTransactionPool implements TransactionPool {
  readonly options: TransactionPoolOptions;
  readonly #deps: PoolDependencies;
  readonly #core: PoolCore;
  readonly #announcements: Announcements;
  readonly #unsubscribe: () => void;
  #headsUntilFullReview = FULL_REVIEW_INTERVAL_BLOCKS;

  constructor(deps: PoolDependencies) {
    this.#deps = deps;
    this.options = completePoolOptions(deps.options);
    this.#announcements = new Announcements((entry) => this.#core.content.get(entry.hashKey) === entry);
    this.#core = new PoolCore({
      options: this.options,
      head: poolHeadOf(deps.chain, deps.lending),
      verdicts: new BlobVerdicts(deps.blobs),
      now: deps.now,
      keep: deps.journal && ((transaction) => deps.journal?.add(transaction)),
      onPending: (entries) => this.#announcements.announce(entries),
    });
    this.#unsubscribe = deps.chain.onHead((event) => this.#follow(event));
  }

  /** Stops following the chain. */
  close(): void {
    this.#unsubscribe();
    this.#announcements.close();
  }

  /** @throws TransactionPoolError; ChainError `CLOSED` while the disk accepts no writes: accepted transactions must not be lost */
  async add(transaction: Transaction, origin: TransactionOrigin): Promise<Hash> {
    this.#deps.chain.checkWritable();
    this.#checkOrigin(transaction, origin);
    if (!isRefusedUnrecovered(transaction, this.#core.head)) await this.#deps.recovery.recover([transaction]);
    return await retryUntilLoaded(() => this.#insert(transaction, origin)); // `await` takes two microtasks less
  }

  async recoverAhead(transactions: readonly Transaction[]): Promise<void> {
    if (this.#core.content.size < capacity(this.options)) await this.#recoverUnknown(transactions);
  }

  async addAll(transactions: readonly Transaction[], origin: TransactionOrigin): Promise<(Hash | Error)[]> {
    await this.#recoverUnknown(transactions);
    const results: (Hash | Error)[] = [];
    for (const transaction of transactions) {
      const result = this.#tryInsert(transaction, origin);
      results.push(result instanceof Promise ? await result : result);
    }
    return results;
  }

  #recoverUnknown(transactions: readonly Transaction[]): Promise<void> {
    const isWorthIt = (transaction: Transaction) =>
      !this.has(transaction) && !isRefusedUnrecovered(transaction, this.#core.head);
    return this.#deps.recovery.recover(transactions.filter(isWorthIt));
  }

  #tryInsert(transaction: Transaction, origin: TransactionOrigin): Hash | Error | Promise<Hash | Error> {
    try {
      this.#deps.chain.checkWritable();
      this.#checkOrigin(transaction, origin);
      const hash = retryUntilLoaded(() => this.#insert(transaction, origin));
      return hash instanceof Promise ? hash.catch(asError) : hash;
    } catch (error) {
      return asError(error);
    }
  }

  /** @returns a promise if the transaction is to be written to the journal; rejects with `NOT_KEPT` if it cannot be */
  #insert(transaction: Transaction, { local }: TransactionOrigin): Hash | Promise<Hash> {
    const entry = this.#core.insert(transaction, local && !this.options.noLocals);
    return entry.written === undefined ? entry.hash : this.#onceWritten(entry, entry.written);
  }

  async #onceWritten(entry: PoolEntry, written: Promise<void>): Promise<Hash> {
    try {
      await written;
    } catch (cause) {
      this.#core.withdraw(entry);
      const text = `the node cannot keep the transaction: ${(cause as Error).message}`;
      throw new TransactionPoolError("NOT_KEPT", text);
    }
    entry.written = undefined;
    entry.replaced = undefined;
    return entry.hash;
  }

  /** Number of 32 KiB slots taken by all transactions. */
  get slots(): number {
    return this.#core.content.slots;
  }

  /** Counters of refused and dropped transactions. */
  get tally(): Readonly<PoolTally> {
    return this.#core.content.tally;
  }

  get(hash: Hash): Transaction | undefined {
    return this.#core.content.get(bytesToHex(hash))?.transaction;
  }

  /** Whether a transaction is in the pool. */
  has(transaction: Transaction): boolean {
    return this.#core.content.get(transactionKey(transaction)) !== undefined;
  }

  isPending(hash: Hash): boolean | undefined {
    const status = this.#statusOf(bytesToHex(hash));
    return status && status === "pending";
  }

  senderOf(transaction: Transaction): Address {
    const entry = this.#core.content.get(transactionKey(transaction));
    if (entry === undefined)
      throw new TransactionPoolError("UNKNOWN_TRANSACTION", "transaction is not in the pool");
    return entry.from;
  }

  nonce(address: Address): bigint {
    return nextNonce(this.#core.content.sender(bytesToHex(address)), nonceOf(this.#core.head.state, address));
  }

  content(): PoolContents {
    const pending = new Map<string, readonly Transaction[]>();
    const queued = new Map<string, readonly Transaction[]>();
    for (const sender of this.#core.content.senders()) {
      if (sender.pending.length > 0) pending.set(sender.key, transactionsOf(sender.pending.entries));
      if (sender.queue.length > 0) queued.set(sender.key, transactionsOf(sender.queue.entries));
    }
    return { pending, queued };
  }

  contentOf(address: Address): { pending: readonly Transaction[]; queued: readonly Transaction[] } {
    const sender = this.#core.content.sender(bytesToHex(address));
    return {
      pending: transactionsOf(sender?.pending.entries ?? []),
      queued: transactionsOf(sender?.queue.entries ?? []),
    };
  }

  get version(): number {
    return this.#core.content.version;
  }

  status(): { pending: number; queued: number } {
    return { pending: this.#core.content.pending, queued: this.#core.content.queued };
  }

  *executable(baseFee: bigint, lowestPrice = 0n): Generator<Transaction, undefined> {
    const lowest = lowestPrice > baseFee ? lowestPrice : baseFee;
    yield* inBlockOrder(pendingLists(this.#core.content), baseFee, lowest);
  }

  /** Transactions of local senders, for the journal; per sender by nonce. */
  *locals(): Generator<Transaction, undefined> {
    for (const sender of this.#core.content.senders()) {
      if (!sender.isLocal) continue;
      yield* transactionsOf(sender.pending.entries);
      yield* transactionsOf(sender.queue.entries);
    }
  }

  remove(transactions: Iterable<Transaction>): void {
    let isKept = false;
    for (const transaction of transactions) isKept = this.#drop(transactionKey(transaction)) || isKept;
    if (isKept) this.#deps.journal?.rotate();
  }

  /** All transactions in order of arrival. */
  inArrivalOrder(): Transaction[] {
    return [...this.#core.content.entries()]
      .sort((a, b) => a.arrival - b.arrival)
      .map(({ transaction }) => transaction);
  }

  /** Drops every transaction. */
  clear(): void {
    for (const entry of [...this.#core.content.entries()].reverse()) this.#core.content.remove(entry);
    this.#deps.journal?.rotate();
  }

  journalSettled(): Promise<void> | undefined {
    return this.#deps.journal?.settled();
  }

  /** Whether the journal can be written; while it cannot, local transactions are refused. */
  get journalHealth(): Health {
    return this.#deps.journal?.health ?? { state: "healthy" };
  }

  onPending(listener: (transactions: readonly Transaction[]) => void): () => void {
    return this.#announcements.subscribe(listener);
  }

  /** Drops queues older than the lifetime; call it about once a minute. */
  expire(): void {
    this.#core.expire();
  }

  /** Checks what depends on a transaction's origin. */
  #checkOrigin({ type }: Transaction, { local }: TransactionOrigin): void {
    if (!local) {
      if (!this.options.denyRemote) return;
      throw new TransactionPoolError("REMOTE_DENIED", "remote transactions are not accepted");
    }
    if (type.effect === "anchor" && !this.options.allowLocalAnchoring) {
      const text = "locally anchoring chaindata tx is not allowed in this node";
      throw new TransactionPoolError("ANCHORING_NOT_ALLOWED", text);
    }
    if (this.#core.content.size >= capacity(this.options)) {
      throw new TransactionPoolError("POOL_FULL", `txpool is full: ${this.#core.content.size}`);
    }
  }

  /**
   * Brings the pool in line with a new head: reviews the senders and fee payers of its transactions, or all senders if the
   * price changed, blocks were removed, transactions had been held back, or a full review is due. What this misses in the
   * meantime, such as the drained balance of a delegated account, is detected by block building.
   */
  #follow({ added, removed }: HeadEvent): void {
    const { price } = this.#core.head;
    const { lending } = this.#deps;
    for (const hashKey of lending?.expired() ?? []) this.#drop(hashKey);
    const head = poolHeadOf(this.#deps.chain, lending);
    this.#core.setHead(head);
    // After a rewind without a new branch, the removed transactions are to be forgotten.
    if (added.length > 0 && removed.length <= MAX_REORG_DEPTH) this.#reinject({ added, removed });
    const isMoved = removed.length > 0 || added.length === 0 || price !== head.price;
    const isHeldBack = lending?.consumeHeldBack() === true;
    const isWhole = isMoved || isHeldBack || --this.#headsUntilFullReview === 0;
    if (isWhole) this.#headsUntilFullReview = FULL_REVIEW_INTERVAL_BLOCKS;
    this.#core.review(isWhole ? this.#core.content.senders() : this.#sendersIn(added));
    lending?.reconcile((hashKey) => this.#statusOf(hashKey));
    if (removed.length > 0 && added.length === 0) this.#deps.journal?.rotate();
  }

  /** @returns whether the transaction was present and from a local sender */
  #drop(hashKey: string): boolean {
    const entry = this.#core.content.get(hashKey);
    if (entry === undefined) return false;
    this.#core.content.remove(entry);
    return this.#core.content.isLocal(entry.sender);
  }

  #statusOf(hashKey: string): "queued" | "pending" | undefined {
    const entry = this.#core.content.get(hashKey);
    if (entry === undefined) return undefined;
    const pending = this.#core.content.sender(entry.sender)?.pending.get(entry.transaction.nonce);
    return pending === entry ? "pending" : "queued";
  }

  /** Senders in the pool that sent, or paid for, a transaction of these blocks. */
  #sendersIn(blocks: HeadEvent["added"]): Iterable<Sender> {
    const found = new Set<Sender>();
    if (this.#core.content.slots === 0) return found;
    const { chainId } = this.#core.head.rules;
    const find = (address: Address): void => {
      const known = this.#core.content.sender(bytesToHex(address));
      if (known !== undefined) found.add(known);
    };
    for (const { block } of blocks) {
      for (const transaction of block.transactions) {
        find(senderOf(transaction, chainId));
        if (transaction.feePayer !== undefined) find(transaction.feePayer);
      }
    }
    return found;
  }

  /** Reinjects transactions of removed blocks that are not in an added one. */
  #reinject({ added, removed }: HeadEvent): void {
    const included = new Set(added.flatMap(({ block }) => block.transactions.map(transactionKey)));
    for (const { block } of removed.toReversed()) {
      for (const transaction of block.transactions) {
        if (!included.has(transactionKey(transaction))) this.#insertIfValid(transaction);
      }
    }
  }

  /** A transaction that is not valid on the new branch is lost; one whose state must be fetched first is inserted then. */
  #insertIfValid(transaction: Transaction): void {
    try {
      const inserted = retryUntilLoaded(() => this.#insert(transaction, { local: false }));
      if (inserted instanceof Promise) inserted.catch(ignoreRejection);
    } catch (error) {
      ignoreRejection(error);
    }
  }
}

function ignoreRejection(error: unknown): void {
  if (!(error instanceof NodeError)) throw error;
}

function asError(error: unknown): Error {
  if (error instanceof Error) return error;
  throw error;
}

function* pendingLists(content: PoolContent): Generator<readonly PoolEntry[]> {
  for (const sender of content.senders()) yield sender.pending.entries;
}
