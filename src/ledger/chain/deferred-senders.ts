import { type Pace, runPaced } from "../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { type Address, equalBytes } from "../../protocol/primitives/bytes.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { recoverSigners, senderOf } from "../../protocol/transaction/signatures/signers.ts";
import type { StateStore } from "../state/state.ts";
import type { ExecutedBlock, NonceRange } from "./chain.ts";
import { ChainError } from "./errors.ts";
import { type SentPosition, type SentRow, senderRows, unattributedRow } from "./tables/block-rows.ts";

/** Dependencies of `DeferredSenders`. */
export interface DeferredSenderParts {
  readonly store: Pick<StateStore, "write" | "health">;
  readonly chainId: bigint;
  readonly sentRow: SentRow | undefined;
  /** Recovers on other cores; absent = each signature is recovered when its row is built. */
  readonly recovery: SenderRecovery | undefined;
}

/** A block whose rows by sender are yet to be written. */
interface Waiting {
  readonly executed: ExecutedBlock;
  /** Set once recovery of its signers has begun. */
  recovered?: Promise<void> | undefined;
  /** Why it has no senders: an invalid signature. */
  error?: ChainError;
}

/**
 * The newest blocks of a chain, whose roots and seals have been verified but whose senders are yet to be recovered, since
 * those claimed by their source are not trusted. Each block gets its rows by sender after publication, in order. Until then,
 * look-ups by sender recover the transactions they examine, and requests for a transaction recover that one.
 */
export class DeferredSenders {
  readonly #parts: DeferredSenderParts;
  readonly #waiting = new Map<bigint, Waiting>();
  readonly #pace: Pace = new TimeSlice();
  #listeners: { readonly number: bigint; readonly end: (error?: Error) => void }[] = [];
  #running: Promise<void> | undefined;
  #head = -1n;
  #isHeld = false;

  constructor(parts: DeferredSenderParts) {
    this.#parts = parts;
  }

  /** Whether a block is waiting. */
  has(number: bigint): boolean {
    return this.#waiting.has(number);
  }

  /** Whether no block is waiting. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Adds a new tip, committed with its `unattributedRow`. */
  add(executed: ExecutedBlock): void {
    this.#waiting.set(executed.block.header.number, { executed });
  }

  /** Drops the blocks above `number`, which have left the chain. To be called inside `whileHeld`, or when no block waits. */
  dropAbove(number: bigint): void {
    for (const each of this.#waiting.keys()) if (each > number) this.#waiting.delete(each);
    this.#notify();
  }

  /** Processes the published blocks, up to the head. */
  start(head: bigint): void {
    this.#head = head;
    if (!this.isEmpty && !this.#isHeld) this.#running ??= this.#run();
  }

  /** Runs an action while processing is paused, and resumes afterwards, whatever its outcome. */
  async whileHeld<T>(action: () => T | Promise<T>): Promise<T> {
    this.#isHeld = true;
    await this.#running;
    try {
      return await action();
    } finally {
      this.#isHeld = false;
      this.start(this.#head);
    }
  }

  /**
   * Resolves once the rows of block `number` and of all blocks before it have been written, or they have left the chain.
   * @throws ChainError `BAD_BLOCK` for an invalid signature, `CLOSED` while the disk fails
   */
  async until(number: bigint): Promise<void> {
    const wrong = this.#wrong(number);
    if (wrong !== undefined) throw wrong;
    if (this.#isDone(number)) return;
    const done = new Promise<void>((resolve, reject) => {
      this.#listeners.push({ number, end: (error) => (error === undefined ? resolve() : reject(error)) });
    });
    await this.#parts.store.health.unlessFailing(done).catch((cause: Error) => {
      if (cause instanceof ChainError) throw cause;
      throw new ChainError("CLOSED", cause.message, {}, { cause });
    });
  }

  /** Positions of an account's transactions in the waiting blocks, in the order of the range. */
  sent(sender: Address, { from, to, newestFirst }: NonceRange): SentPosition[] {
    const found = new Map<bigint, SentPosition>();
    for (const [blockNumber, { executed }] of this.#waiting)
      for (const [index, transaction] of executed.block.transactions.entries()) {
        const { nonce } = transaction;
        if (nonce < from || nonce >= to || !this.#isSentBy(sender, transaction)) continue;
        found.set(nonce, { blockNumber, index, nonce });
      }
    const positions = [...found.values()].sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
    return newestFirst ? positions.reverse() : positions;
  }

  #isSentBy(sender: Address, transaction: ExecutedBlock["block"]["transactions"][number]): boolean {
    try {
      return equalBytes(transaction.from ?? senderOf(transaction, this.#parts.chainId), sender);
    } catch {
      return false;
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#pace.yield(); // callers waiting for the block come first
      for (const [number, waiting] of this.#waiting) {
        if (number > this.#head || this.#isHeld || waiting.error !== undefined) return;
        this.#recover();
        await waiting.recovered;
        await this.#attribute(waiting);
        this.#notify();
        if (waiting.error !== undefined) return;
      }
    } catch {
      // The disk is failing: the next start tries again.
    } finally {
      this.#running = undefined;
    }
  }

  /** Starts recovery, on other cores, for all published waiting blocks. */
  #recover(): void {
    const { recovery } = this.#parts;
    for (const [number, waiting] of this.#waiting)
      if (number <= this.#head)
        waiting.recovered ??= recovery?.recover(waiting.executed.block.transactions).catch(() => {});
  }

  async #attribute(waiting: Waiting): Promise<void> {
    const { store, chainId, sentRow } = this.#parts;
    const { block } = waiting.executed;
    const { number } = block.header;
    try {
      for (const transaction of block.transactions) recoverSigners(transaction, chainId);
    } catch (cause) {
      const text = `block ${number} has an invalid signature: ${(cause as Error).message}`;
      waiting.error = new ChainError("BAD_BLOCK", text, { number, field: "signature" }, { cause });
      return;
    }
    const rows = await runPaced(this.#pace, senderRows(block, chainId, sentRow));
    store.health.check();
    rows.push(unattributedRow(number, null));
    // The rows are visible immediately. If a failing disk never accepts them, they are rebuilt after a restart.
    store.write(rows).catch(() => {});
    this.#waiting.delete(number);
  }

  #notify(): void {
    this.#listeners = this.#listeners.filter(({ number, end }) => {
      const wrong = this.#wrong(number);
      if (wrong === undefined && !this.#isDone(number)) return true;
      end(wrong);
      return false;
    });
  }

  #isDone(number: bigint): boolean {
    const [oldest] = this.#waiting.keys();
    return oldest === undefined || oldest > number;
  }

  #wrong(number: bigint): ChainError | undefined {
    const [oldest] = this.#waiting.values();
    return oldest !== undefined && oldest.executed.block.header.number <= number ? oldest.error : undefined;
  }
}

/** Merges positions from the tables with those in waiting blocks, which win for equal nonces, in the order of a range. */
export function* mergeSent(
  written: Iterable<SentPosition>,
  deferred: readonly SentPosition[],
  newestFirst = false,
): Generator<SentPosition> {
  let next = 0;
  for (const position of written) {
    const isBefore = (other: SentPosition) =>
      newestFirst ? other.nonce >= position.nonce : other.nonce <= position.nonce;
    let isReplaced = false;
    for (let other = deferred[next]; other !== undefined && isBefore(other); other = deferred[++next]) {
      isReplaced = other.nonce === position.nonce;
      yield other;
    }
    if (!isReplaced) yield position;
  }
  yield* deferred.slice(next);
}
