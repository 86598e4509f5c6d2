import type { Files, RewritableFile } from "../../platform/runtime/files.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction, readTransaction } from "../../protocol/transaction/envelope.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/**
 * Size in bytes above which a file is rewritten once it has doubled since the last rewrite: as many small transactions
 * as start-up reads in a tenth of a second.
 */
const LEAST_GROWN = 256 * 1024;

/** A journal file that is invalid or damaged at its end. */
export interface JournalDamage {
  /** Where its content is kept. */
  readonly copy: string;
  /** First byte that cannot be read. */
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
  /** Called if a file cannot be read to its end. */
  readonly onDamage: (damage: JournalDamage) => void;
  /** Called when a file cannot be rewritten; its old contents stay. */
  readonly onError: (error: unknown) => void;
}

/**
 * The file of local transactions that survives a restart: their encodings one after the other, typed ones without a
 * wrapping string, as in blocks. The reference node reads it too, and like it this one writes before it answers: handing a
 * record to the operating system takes three microseconds, a promise and a turn of the event loop take ten times that.
 */
export class TransactionJournal {
  readonly #parts: JournalParts;
  #file: RewritableFile | undefined;
  #bytes = 0;
  /** Size in bytes at which it is rewritten. */
  #limit = LEAST_GROWN;
  /** Whether it contains transactions that were withdrawn. */
  #isStale = false;
  #isRewriting = false;
  #settled: Promise<void> | undefined;

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  /**
   * The transactions in the file up to the first unreadable one, as after a power loss; none without a file. Such a
   * file holds is kept beside it.
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

  /** Writes a transaction, which survives the process from now on. @throws Error of the file system; nothing is written then */
  add(transaction: Transaction): void {
    const bytes = encodeTransaction(transaction);
    this.#open().write(bytes);
    this.#bytes += bytes.length;
    // Not now: the transaction is not yet among the pending ones.
    if (this.#bytes > this.#limit) queueMicrotask(() => this.#shrink());
  }

  /** Forgets all that is no longer in the pool: at once if the pool is empty, else by the time `settled` resolves. */
  forget(): void {
    if (this.#bytes === 0 && !this.#isRewriting) return;
    this.#isStale = true;
    if (this.#isRewriting) return;
    const rewriting = this.#rewrite();
    if (this.#isRewriting) this.#settled = rewriting;
  }

  /** Resolves when everything withdrawn is forgotten, or cannot be; undefined if nothing is outstanding. */
  settled(): Promise<void> | undefined {
    return this.#settled;
  }

  /** Resolves when the file contains exactly the transactions of the pool. */
  async close(): Promise<void> {
    this.forget();
    await this.settled();
    this.#file?.close();
    this.#file = undefined;
  }

  #open(): RewritableFile {
    this.#file ??= this.#parts.files.openRewritable(this.#parts.path);
    return this.#file;
  }

  /** Runs synchronously as far as it can: an empty file needs no disk. */
  async #rewrite(): Promise<void> {
    this.#isRewriting = true;
    try {
      while (this.#isStale) {
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
    if (!this.#isRewriting && this.#bytes > this.#limit) this.forget();
  }

  #clear(): void {
    this.#open().clear();
    this.#bytes = 0;
    this.#limit = LEAST_GROWN;
  }

  async #replace(bytes: Uint8Array): Promise<void> {
    const before = this.#bytes;
    await this.#open().replace(bytes);
    this.#limit = Math.max(LEAST_GROWN, 2 * bytes.length);
    this.#bytes += bytes.length - before;
  }
}
