import { ByteTable } from "./byte-table.ts";

/**
 * Recently used rows up to a number of bytes. Two generations: a full one replaces the one before, rows of which are
 * taken over when they are used again. No bookkeeping per hit, no object per row.
 */
export class RecordCache {
  readonly #generationBytes: number;
  #young = new ByteTable();
  #old = new ByteTable();

  /** @param bytes - memory of both generations together, reached only when there is that much to keep */
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

  /** Takes over a table whose rows are newer than all it has. A big one becomes a generation as it is. */
  absorb(table: ByteTable): void {
    if (table.bytes > this.#generationBytes / 4) this.#age(table);
    else for (const [key, value] of table.entries()) this.set(key, value);
  }

  #age(young: ByteTable): void {
    this.#old = this.#young;
    this.#young = young;
  }
}
