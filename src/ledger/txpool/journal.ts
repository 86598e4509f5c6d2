import type { AppendFile, Files } from "../../platform/runtime/files.ts";
import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction, readTransaction } from "../../protocol/transaction/envelope.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/** Time for which additions are gathered: most local transactions are in a block by then and need no record. */
const GATHER_MS = 25;

/** A file that is no journal, or not to its end. */
export interface JournalDamage {
  /** Where its content is kept. */
  readonly copy: string;
  /** First byte that cannot be read. */
  readonly at: number;
  /** Number of transactions before that. */
  readonly transactions: number;
}

/** What a journal is made of. */
export interface JournalParts {
  readonly files: Files;
  readonly timers: Timers;
  readonly path: string;
  /** Whether a transaction still waits; others are not written. */
  readonly isWaiting: (transaction: Transaction) => boolean;
  /** Told of a file that cannot be read to its end. */
  readonly onDamage: (damage: JournalDamage) => void;
  /** Told of a disk that refuses; the pool goes on without a record. */
  readonly onError: (error: unknown) => void;
}

/**
 * The file of local transactions that outlives a restart: their encodings one after the other, typed ones without a
 * wrapping string, as in blocks. The reference node reads it too.
 */
export class TransactionJournal {
  readonly #parts: JournalParts;
  #file: AppendFile | undefined;
  #gathered: Transaction[] = [];
  #timer: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: JournalParts) {
    this.#parts = parts;
  }

  /**
   * The transactions in the file up to the first that cannot be read, as after a power loss; none without a file. What such a
   * file holds is kept beside it.
   */
  async load(): Promise<Transaction[]> {
    const { files, path } = this.#parts;
    if (!files.exists(path)) return [];
    const bytes = files.read(path);
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

  /** Writes a transaction soon. */
  add(transaction: Transaction): void {
    this.#gathered.push(transaction);
    this.#timer ??= this.#parts.timers.schedule(GATHER_MS, () => this.#flush());
  }

  /** Replaces the file by what is given; resolves when it is on disk. */
  async rewrite(transactions: Iterable<Transaction>): Promise<void> {
    this.#dropGathered();
    const bytes = concat(...[...transactions].map(encodeTransaction));
    await this.#queue(async () => {
      this.#file?.close();
      this.#file = undefined;
      await this.#parts.files.replace(this.#parts.path, bytes);
    });
  }

  /** Resolves when all that was added is written. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
    this.#file?.close();
    this.#file = undefined;
  }

  #flush(): void {
    const transactions = this.#dropGathered().filter(this.#parts.isWaiting);
    if (transactions.length === 0) return;
    const bytes = concat(...transactions.map(encodeTransaction));
    void this.#queue(async () => {
      this.#file ??= this.#parts.files.openAppend(this.#parts.path);
      await this.#file.append(bytes);
    });
  }

  #dropGathered(): Transaction[] {
    this.#timer?.();
    this.#timer = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    return gathered;
  }

  /** Runs one write after the other. */
  #queue(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write).catch(this.#parts.onError);
    return this.#writing;
  }
}
