import { ByteTable } from "./byte-table.ts";

/** Rows taken over per step. */
const ROWS_PER_STEP = 256;

/**
 * A cache of recently used rows, bounded in bytes. Two generations: when the young one is full it replaces the old one,
 * whose rows are promoted when used again. No bookkeeping per hit, no object per row.
 */
export class RecordCache {
  readonly #generationBytes: number;
  #young = new ByteTable();
  #old = new ByteTable();

  /** @param bytes - maximum memory of both generations together */
  constructor(bytes: number) {
    this.#generationBytes = bytes / 2;
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  /** As `ByteTable.get`; null for a row known to be deleted. */
  get(key: Uint8Array): Uint8Array | null | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Uint8Array, value: Uint8Array | null): void {
    this.#young.set(key, value);
    if (this.#young.bytes > this.#generationBytes) this.#age(new ByteTable());
  }

  /** Takes over, in steps, a table whose rows are newer than all cached ones. A big one becomes the young generation itself. */
  *absorb(table: ByteTable): Generator<void> {
    if (table.bytes > this.#generationBytes / 4) {
      this.#age(table);
      return;
    }
    let count = 0;
    for (const [key, value] of table.entries()) {
      this.set(key, value);
      if (++count % ROWS_PER_STEP === 0) yield;
    }
  }

  #age(young: ByteTable): void {
    this.#old = this.#young;
    this.#young = young;
  }
}
