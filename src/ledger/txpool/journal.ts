import type { Files, RewritableFile } from "../../platform/runtime/files.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction, readTransaction } from "../../protocol/transaction/envelope.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { DiskHealth, type Health } from "../database/disk-health.ts";

/**
 * Size in bytes above which the file is rewritten once it has doubled since the last rewrite: as many small transactions
 * as start-up loads in a tenth of a second.
 */
const MIN_GROWN = 256 * 1024;

/** Minimum bytes that the disk must take before the file counts as writable again: a page. */
const PROBE_BYTES = 4096;

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
  readonly timers: Timers;
  /** The transactions that currently belong in the file. */
  readonly waiting: () => Iterable<Transaction>;
  /** Called if the file cannot be read to its end. */
  readonly onDamage: (damage: JournalDamage) => void;
  /** Called when the file cannot be written or rewritten any more, in which case its old contents stay, and when it can again. */
  readonly onHealth: (health: Health) => void;
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
  readonly #health: DiskHealth;
  /** Bytes of the write that failed last. */
  #refused = 0;
  #failure: unknown;
  #isRetrying = false;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    this.#health = new DiskHealth(parts.timers);
    let { state } = this.health;
    this.#health.onChange((now) => {
      if (now.state === state) return;
      state = now.state;
      parts.onHealth(now);
    });
  }

  /** Whether the file can be written. After a failure that is tried again and again, whether or not there are new transactions. */
  get health(): Health {
    return this.#health.now;
  }

  /**
   * The transactions in the file, up to the first unreadable one; none without a file. A damaged file, as after a power loss,
   * is copied to `.damaged` first.
   */
  async load(): Promise<Transaction[]> {
    const { files, path } = this.#parts;
    files.remove(this.#probePath);
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
    try {
      this.#open().write(bytes);
    } catch (error) {
      this.#fail(error, bytes.length);
      throw error;
    }
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
    this.#health.close();
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
      this.#isStale = true;
      this.#fail(error, this.#bytes);
    } finally {
      this.#isRewriting = false;
      this.#settled = undefined;
    }
  }

  /** After a failure, tries again until the file can be written. @param bytes - that were refused */
  #fail(error: unknown, bytes: number): void {
    this.#refused = Math.max(bytes, PROBE_BYTES);
    this.#failure = error;
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    let isFirst = true;
    const attempt = async (): Promise<void> => {
      if (!isFirst) return this.#tryAgain();
      isFirst = false;
      throw error;
    };
    this.#health
      .retry("the journal of local transactions", attempt)
      .catch(() => {}) // closed
      .finally(() => {
        this.#isRetrying = false;
      });
  }

  /** Rewrites a stale file, and otherwise finds out whether there is space. */
  async #tryAgain(): Promise<void> {
    if (!this.#isStale) return this.#probe();
    this.rotate();
    await this.settled();
    if (this.#isStale) throw this.#failure;
  }

  /** Writes as many bytes as were refused into another file: what is in this one would be read as transactions. */
  async #probe(): Promise<void> {
    const { files } = this.#parts;
    try {
      const file = files.openRewritable(this.#probePath);
      try {
        file.write(new Uint8Array(this.#refused));
      } finally {
        file.close();
      }
    } finally {
      files.remove(this.#probePath);
    }
  }

  get #probePath(): string {
    return `${this.#parts.path}.probe`;
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
