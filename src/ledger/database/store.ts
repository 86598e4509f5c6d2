/**
 * An embedded engine: ordered bytes to bytes. Reads are synchronous, a write is one atomic, durable batch.
 * Keys have 1 to 256 bytes; their order is bytewise, a prefix before the longer key.
 */
export interface KeyValueStore {
  /** Value of a key, in memory of the engine: valid until the next call. */
  get(key: Uint8Array): Uint8Array | undefined;
  /**
   * Rows with from ≤ key < to, ascending, or descending with `reverse`: keys stay as they are
   * meanwhile, values until the next step.
   */
  range(from: Uint8Array, to: Uint8Array, reverse?: boolean): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** The last row below `key`, or the first that is not below it; valid until the next call. */
  neighbour(key: Uint8Array, side: "below" | "from"): readonly [Uint8Array, Uint8Array] | undefined;
  /**
   * Resolves when all rows are on disk; the batch must not change before. Sorted batches are faster.
   * @param size - how large the batch is at most, for an engine that asks the disk first
   */
  write(batch: Iterable<StoredRow>, size?: BatchSize): Promise<void>;
  /**
   * Copies the file as the last write left it into a folder, whatever is written meanwhile; resolves when the copy is on
   * disk. Absent where nothing is kept in files. What `signal` gives up, or a crash, leaves no file of the engine.
   */
  copyTo?(directory: string, signal: AbortSignal): Promise<void>;
  /**
   * Looks at every page of the file without the engine, which damage can end the process of. Absent where there is none.
   * @throws DatabaseError `DATABASE_DAMAGED` with the page
   */
  checkPages?(): void;
  /** Rows and bytes on disk. */
  size(): { readonly rows: number; readonly bytes: number };
  close(): Promise<void>;
}

/** What a batch holds. */
export interface BatchSize {
  readonly rows: number;
  /** Of keys and values. */
  readonly bytes: number;
}

/** One row of a batch; `value` null deletes it. The key may be reused once the batch asks for the next row. */
export interface StoredRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}
