/**
 * An embedded engine: ordered bytes to bytes. Reads are synchronous, a write is one atomic, durable batch.
 * Keys have 1 to 256 bytes; their order is bytewise, a prefix before the longer key.
 */
export interface KeyValueStore {
  /** Value of a key, in memory of the engine: valid until the next call. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** Rows with from ≤ key < to, ascending, or descending with `reverse`; each valid until the next step. */
  range(from: Uint8Array, to: Uint8Array, reverse?: boolean): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** Resolves when all rows are on disk; the batch must not change before. Sorted batches are faster. */
  write(batch: Iterable<StoredRow>): Promise<void>;
  /** Rows and bytes on disk. */
  size(): { readonly rows: number; readonly bytes: number };
  close(): Promise<void>;
}

/** One row of a batch; `value` null deletes it. The key may be reused once the batch asks for the next row. */
export interface StoredRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}
