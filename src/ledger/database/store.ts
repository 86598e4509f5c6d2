/**
 * An embedded engine: an ordered map of bytes to bytes. Reads are synchronous; a write is one atomic, durable batch.
 * Keys have 1 to 256 bytes and are ordered lexicographically.
 */
export interface KeyValueStore {
  /** Value of a key, in the engine's memory: valid until the next call. */
  get(key: Uint8Array): Uint8Array | undefined;
  /**
   * Rows with from ≤ key < to, ascending, or descending with `reverse`; keys stay valid, values only until the next step.
   */
  range(from: Uint8Array, to: Uint8Array, reverse?: boolean): Iterable<readonly [Uint8Array, Uint8Array]>;
  /** The last row below `key`, or the first at or above it; valid until the next call. */
  neighbour(key: Uint8Array, side: "below" | "from"): readonly [Uint8Array, Uint8Array] | undefined;
  /**
   * Resolves when all rows are on disk; the batch must not change until then. Sorted batches are faster. Long ones are read in time
   * slices.
   * @param size - upper bound of the batch's size, for an engine that checks the free disk space first
   */
  write(batch: Iterable<StoredRow>, size?: BatchSize): Promise<void>;
  /**
   * Copies the file as of the last write into a folder; writes may continue meanwhile. Resolves when the copy is on disk;
   * if aborted by `signal` or a crash, the folder has no engine file. Absent in an engine without files.
   */
  copyTo?(directory: string, signal: AbortSignal): Promise<void>;
  /**
   * Checks every page of the file without the engine, which damage may crash. Absent in an engine without files.
   * @throws DatabaseError `DATABASE_DAMAGED` with the page
   */
  checkPages?(): void;
  /**
   * Goes on checking, in key order, the pages of a file that was too large to be checked when it was opened. Absent in an engine without
   * files.
   * @param isDue - whether to stop for now
   * @returns whether there are pages left
   * @throws DatabaseError `DATABASE_DAMAGED` with the page
   */
  checkOn?(isDue: () => boolean): boolean;
  /** Rows and bytes on disk. */
  size(): { readonly rows: number; readonly bytes: number };
  close(): Promise<void>;
}

/** Size of a batch. */
export interface BatchSize {
  readonly rows: number;
  /** Of keys and values. */
  readonly bytes: number;
}

/** One row of a batch; `value` null deletes it. Key and value may be reused once the next row is asked for. */
export interface StoredRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}
