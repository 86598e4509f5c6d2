import { atPace, type Pace } from "../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../platform/runtime/turns/time-slice.ts";
import { type Address, equalBytes } from "../../protocol/primitives/bytes.ts";
import type { SenderRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { recoverSigners, senderOf } from "../../protocol/transaction/signatures/signers.ts";
import type { StateStore } from "../state/state.ts";
import type { ExecutedBlock, NonceRange } from "./chain.ts";
import { ChainError } from "./errors.ts";
import { type SentPlace, type SentRow, senderRows, unattributedRow } from "./tables/block-rows.ts";

/** Dependencies for recovering senders. */
export interface LateSenderParts {
  readonly store: Pick<StateStore, "write" | "health">;
  readonly chainId: bigint;
  readonly sentRow: SentRow | undefined;
  /** Recovers on other cores; absent = each signature is recovered when its row is built. */
  readonly recovery: SenderRecovery | undefined;
}

/** A block whose rows by sender are to be written. */
interface Waiting {
  readonly executed: ExecutedBlock;
  /** Set once its signers are being recovered. */
  recovered?: Promise<void> | undefined;
  /** Why it has no senders: an invalid signature. */
  error?: ChainError;
}

/**
 * The newest blocks of a chain whose senders are still to be recovered. The senders that their source claims are not
 * trusted; roots and seals have been verified. Each gets its rows by sender once it is published, in order. Until then a look-up by
 * sender recovers the transactions it examines, and a request that shows a transaction recovers that one.
 */
export class LateSenders {
  readonly #parts: LateSenderParts;
  readonly #waiting = new Map<bigint, Waiting>();
  readonly #pace: Pace = new TimeSlice();
  #listeners: { readonly number: bigint; readonly end: (error?: Error) => void }[] = [];
  #running: Promise<void> | undefined;
  #head = -1n;
  #isHeld = false;

  constructor(parts: LateSenderParts) {
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

  /** Adds a block that has become the tip and has its `unattributedRow`. */
  add(executed: ExecutedBlock): void {
    this.#waiting.set(executed.block.header.number, { executed });
  }

  /** Forgets the blocks above `number`, which have left the chain. To be called while it is held, or nothing waits. */
  dropAbove(number: bigint): void {
    for (const each of this.#waiting.keys()) if (each > number) this.#waiting.delete(each);
    this.#tell();
  }

  /** Continues with the blocks up to the head, which are published. */
  start(head: bigint): void {
    this.#head = head;
    if (!this.isEmpty && !this.#isHeld) this.#running ??= this.#run();
  }

  /** Runs an action while no rows are written, and continues afterwards, whatever its outcome. */
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
   * Resolves once the rows of block `number` and all before it are written, or these have left the chain.
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

  /** Places of an account's transactions in the blocks that wait, in the order of the range. */
  sent(sender: Address, { from, to, newestFirst }: NonceRange): SentPlace[] {
    const found = new Map<bigint, SentPlace>();
    for (const [blockNumber, { executed }] of this.#waiting)
      for (const [index, transaction] of executed.block.transactions.entries()) {
        const { nonce } = transaction;
        if (nonce < from || nonce >= to || !this.#isSentBy(sender, transaction)) continue;
        found.set(nonce, { blockNumber, index, nonce });
      }
    const places = [...found.values()].sort((a, b) => (a.nonce < b.nonce ? -1 : 1));
    return newestFirst ? places.reverse() : places;
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
      await this.#pace.giveWay(); // those waiting for the block come first
      for (const [number, waiting] of this.#waiting) {
        if (number > this.#head || this.#isHeld || waiting.error !== undefined) return;
        this.#recover();
        await waiting.recovered;
        await this.#attribute(waiting);
        this.#tell();
        if (waiting.error !== undefined) return;
      }
    } catch {
      // The disk is failing: the next start tries again.
    } finally {
      this.#running = undefined;
    }
  }

  /** Other cores work on all waiting blocks, one after the other. */
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
      const text = `a signature in block ${number} is none: ${(cause as Error).message}`;
      waiting.error = new ChainError("BAD_BLOCK", text, { number, field: "signature" }, { cause });
      return;
    }
    const rows = await atPace(this.#pace, senderRows(block, chainId, sentRow));
    store.health.check();
    rows.push(unattributedRow(number, null));
    // In memory at once. Rows that a failing disk never accepts are recovered again after a restart.
    store.write(rows).catch(() => {});
    this.#waiting.delete(number);
  }

  #tell(): void {
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

/** Places from the tables and from waiting blocks, in the order of a range; if both have a nonce, the latter wins. */
export function* mergeSent(
  written: Iterable<SentPlace>,
  late: readonly SentPlace[],
  newestFirst = false,
): Generator<SentPlace> {
  let next = 0;
  for (const place of written) {
    const isBefore = (other: SentPlace) =>
      newestFirst ? other.nonce >= place.nonce : other.nonce <= place.nonce;
    let isReplaced = false;
    for (let other = late[next]; other !== undefined && isBefore(other); other = late[++next]) {
      isReplaced = other.nonce === place.nonce;
      yield other;
    }
    if (!isReplaced) yield place;
  }
  yield* late.slice(next);
}
