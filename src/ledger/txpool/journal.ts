import type { Files, RewritableFile } from "../../platform/runtime/files.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction, readTransaction } from "../../protocol/transaction/envelope.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/**
 * Size in bytes above which the file is rewritten once it has doubled since the last rewrite: as many small transactions
 * as start-up loads in a tenth of a second.
 */
const MIN_GROWN = 256 * 1024;

/** Damage found in a journal file, perhaps only a torn end. */
export interface JournalDamage {
  /** Path of a copy of the damaged file. */
  readonly copy: string;
  /** Offset of the first unreadable byte. */
  readonly at: number;
  /** Number of transactions before that. */
  readonly transactions: number;
}

/** Dependencies of a journal. */
export interface JournalParts {
  readonly files: Files;
  readonly path: string;
  /** The transactions that currently belong in the file. */
  readonly waiting: () => Iterable<Transaction>;
  /** Called if the file cannot be read to its end. */
  readonly onDamage: (damage: JournalDamage) => void;
  /** Called if the file cannot be rewritten; its old contents stay. */
  readonly onError: (error: unknown) => void;
}

/**
 * The file that keeps local transactions across restarts: their encodings, concatenated, typed ones without a wrapping
 * string, as in blocks. The reference node can read it. Transactions added one right after another, such as those whose signers
 * were recovered together, are written by one system call, which costs several microseconds.
 */
export class TransactionJournal {
  readonly #parts: JournalParts;
  #file: RewritableFile | undefined;
  #bytes = 0;
  /** Size in bytes above which the file is rewritten. */
  #limit = MIN_GROWN;
  /** Whether the file contains transactions no longer in the pool. */
  #isStale = false;
  #isRewriting = false;
  #settled: Promise<void> | undefined;
  /** Encodings that have not been written yet. */
  #unwritten: Uint8Array[] = [];
  #written: Promise<void> | undefined;

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  /**
   * The transactions in the file, up to the first unreadable one; none without a file. A damaged file, as after a power loss,
   * is copied to `.damaged` first.
   */
  async load(): Promise<Transaction[]> {
    const { files, path } = this.#parts;
    if (!files.exists(path)) return [];
    const bytes = files.read(path);
    this.#bytes = bytes.length;
    const transactions: Transaction[] = [];
    let at = 0;
    try {
      while (at < bytes.length) {
        const { transaction, end } = readTransaction(bytes, at);
        transactions.push(transaction);
        at = end;
      }
    } catch {
      const copy = `${path}.damaged`;
      await files.replace(copy, bytes);
      this.#parts.onDamage({ copy, at, transactions: transactions.length });
    }
    return transactions;
  }

  /**
   * Writes a transaction, together with those added before the microtasks that are already queued have run.
   * @returns resolves once it survives the process; rejects with an error of the file system, and then none of them is written
   */
  add(transaction: Transaction): Promise<void> {
    this.#unwritten.push(encodeTransaction(transaction));
    this.#written ??= Promise.resolve().then(() => this.#write());
    return this.#written;
  }

  #write(): void {
    const bytes = concat(...this.#unwritten);
    this.#unwritten = [];
    this.#written = undefined;
    this.#open().write(bytes);
    this.#bytes += bytes.length;
    this.#shrink();
  }

  /** Rewrites the file with the pool's current transactions: at once if there are none, else by the time `settled` resolves. */
  rotate(): void {
    if (this.#bytes === 0 && !this.#isRewriting) return;
    this.#isStale = true;
    if (this.#isRewriting) return;
    const rewriting = this.#rewrite();
    if (this.#isRewriting) this.#settled = rewriting;
  }

  /** Resolves when the rewrite in progress has ended, even in failure; undefined if there is none. */
  settled(): Promise<void> | undefined {
    return this.#settled;
  }

  /** Resolves when the file contains exactly the transactions of the pool. */
  async close(): Promise<void> {
    this.rotate();
    await this.settled();
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): RewritableFile {
    this.#file ??= this.#parts.files.openRewritable(this.#parts.path);
    return this.#file;
  }

  /** Runs synchronously if no transactions are left, as the file is then only truncated. */
  async #rewrite(): Promise<void> {
    this.#isRewriting = true;
    try {
      while (this.#isStale) {
        while (this.#written !== undefined) await this.#written.catch(() => {}); // in the pool already, and so in `waiting`
        this.#isStale = false;
        const waiting = [...this.#parts.waiting()].map(encodeTransaction);
        if (waiting.length === 0) this.#clear();
        else await this.#replace(concat(...waiting));
      }
    } catch (error) {
      this.#limit = 2 * this.#bytes;
      this.#parts.onError(error);
    } finally {
      this.#isRewriting = false;
      this.#settled = undefined;
    }
  }

  #shrink(): void {
    if (!this.#isRewriting && this.#bytes > this.#limit) this.rotate();
  }

  #clear(): void {
    this.#open().clear();
    this.#bytes = 0;
    this.#limit = MIN_GROWN;
  }

  async #replace(bytes: Uint8Array): Promise<void> {
    const before = this.#bytes;
    await this.#open().replace(bytes);
    this.#limit = Math.max(MIN_GROWN, 2 * bytes.length);
    this.#bytes += bytes.length - before;
  }
}
