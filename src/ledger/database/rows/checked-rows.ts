import { compareBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { DatabaseError } from "../errors.ts";
import type { KeyValueStore, StoredRow } from "../store.ts";
import { KeyGaps } from "./key-gaps.ts";
import { rowChecksum } from "./row-checksum.ts";

/** Size of the checksum after each value: CRC-32 of key and value, little-endian. */
const TRAILER = 4;
/** Initial size of the memory in which rows get their checksums, one after the other. */
const ROW_BYTES = 1 << 12;
/** The key to name where there is none. */
const FIRST = Uint8Array.of(0);

/** Where the rows are, for error messages, and whom to notify of damage. */
export interface CheckedLocation {
  /** Path of the file. */
  readonly file: string;
  /** Name of the table of a key. */
  tableOf(key: Uint8Array): string;
  /** Called with the error before it is thrown to the reader. */
  onDamage(error: DatabaseError): void;
}

/**
 * Adds checksums to the rows of a store, so that a read returns what was written to its key, or throws. A row is trusted to
 * be absent only if both neighbours of its position are whole and in order: a damaged key that leads a search astray is one
 * of the two. Gaps so verified are remembered until the next write.
 * All reads throw DatabaseError `DATABASE_DAMAGED`.
 */
export function checkedRows(store: KeyValueStore, place: CheckedLocation): KeyValueStore {
  const damaged = (key: Uint8Array, what: string, cause?: unknown): DatabaseError => {
    const details = { table: place.tableOf(key), key: bytesToHex(key.subarray(1)), file: place.file };
    const message = `${place.file} is damaged: ${what} in table ${details.table} at key ${details.key}`;
    const error = new DatabaseError("DATABASE_DAMAGED", message, details, { cause });
    place.onDamage(error);
    return error;
  };
  /** Notifies of damage that the engine has found in its pages. */
  const reported = (error: DatabaseError): DatabaseError => {
    if (!("table" in error.details)) place.onDamage(error);
    return error;
  };
  const checked = (key: Uint8Array, row: Uint8Array): Uint8Array => {
    const length = row.length - TRAILER;
    if (length >= 0 && rowChecksum(key, row, length) === readTrailer(row, length))
      return row.subarray(0, length);
    throw damaged(key, "a row does not match its checksum");
  };
  /** The neighbour of a key, after verifying its row. */
  const beside = (key: Uint8Array, side: "below" | "from"): Uint8Array | undefined => {
    const row = store.neighbour(key, side);
    if (row) checked(...row);
    return row?.[0];
  };
  /** Checks that the neighbour below `key` sorts below it. @returns its key */
  const checkBelow = (key: Uint8Array): Uint8Array | undefined => {
    const below = beside(key, "below");
    if (below && compareBytes(below, key) >= 0) throw damaged(key, "rows are out of order");
    return below;
  };
  const checkFrom = (key: Uint8Array, isAbsent: boolean): Uint8Array | undefined => {
    const next = beside(key, "from");
    const order = next ? compareBytes(next, key) : 1;
    if (isAbsent ? order <= 0 : order < 0) throw damaged(key, "rows are out of order");
    return next;
  };
  /** Checks that the next row beyond `key` is whole and lies outside a range. */
  const checkEnd = (key: Uint8Array, side: "below" | "from", bound: Uint8Array): void => {
    const next = beside(key, side);
    if (next && compareBytes(next, bound) < 0 === (side === "from"))
      throw damaged(key, "rows are out of order");
  };
  const gaps = new KeyGaps();
  /** Batches being written; gaps found meanwhile are not remembered. */
  let writes = 0;
  const checkAbsent = (key: Uint8Array): void => {
    if (writes > 0) {
      checkBelow(key);
      checkFrom(key, true);
    } else gaps.add(checkBelow(key), checkFrom(key, true));
  };
  const reading = <T>(key: Uint8Array, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (error instanceof DatabaseError) throw reported(error);
      throw damaged(key, `the engine cannot read (${(error as Error).message})`, error);
    }
  };
  return {
    get: (key) =>
      reading(key, () => {
        if (writes === 0 && gaps.has(key)) return undefined;
        const row = store.get(key);
        if (row) return checked(key, row);
        checkAbsent(key);
        return undefined;
      }),
    *range(from, to, reverse = false) {
      reading(from, () => (reverse ? checkFrom(to, false) : checkBelow(from)));
      const rows = reading(from, () => store.range(from, to, reverse)[Symbol.iterator]());
      const next = (): IteratorResult<readonly [Uint8Array, Uint8Array]> => rows.next();
      const sign = reverse ? -1 : 1;
      let last: Uint8Array | undefined;
      try {
        for (let step = reading(from, next); !step.done; step = reading(from, next)) {
          const [key, row] = step.value;
          const value = checked(key, row);
          const order = last ? sign * compareBytes(key, last) : reverse ? compareBytes(to, key) : 1;
          if (order <= 0) throw damaged(key, "rows are out of order");
          last = key;
          yield [key, value];
        }
      } finally {
        rows.return?.();
      }
      // The row at which the range ended, wherever a search for its bound would lead: one whose key was damaged may lie within.
      reading(from, () =>
        reverse ? checkEnd(last ?? to, "below", from) : checkEnd(behind(last) ?? from, "from", to),
      );
    },
    neighbour: (key, side) =>
      reading(key, () => {
        const row = store.neighbour(key, side);
        return row && [row[0], checked(...row)];
      }),
    async write(batch, size) {
      writes++;
      gaps.clear();
      try {
        await store.write(withChecksums(batch), size);
      } catch (error) {
        throw error instanceof DatabaseError ? reported(error) : error;
      } finally {
        writes--;
      }
    },
    ...(store.checkPages && { checkPages: () => store.checkPages?.() }),
    ...(store.checkOn && {
      checkOn: (isDue) => reading(FIRST, () => store.checkOn?.(isDue) ?? false),
    }),
    ...(store.copyTo && {
      copyTo: (directory, signal) => store.copyTo?.(directory, signal) ?? Promise.resolve(),
    }),
    size: () => store.size(),
    close: () => store.close(),
  };
}

/** The key right behind another. */
function behind(key: Uint8Array | undefined): Uint8Array | undefined {
  if (key === undefined) return undefined;
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/** The rows of a batch with their checksums, each valid until the next one is asked for. */
export function* withChecksums(batch: Iterable<StoredRow>): Generator<StoredRow> {
  let row = Buffer.allocUnsafeSlow(ROW_BYTES);
  for (const { key, value } of batch) {
    if (!value) {
      yield { key, value };
      continue;
    }
    const { length } = value;
    if (length + TRAILER > row.length) row = Buffer.allocUnsafeSlow(2 * length + TRAILER);
    row.set(value);
    row.writeUInt32LE(rowChecksum(key, value), length);
    // No Buffer, whose `slice` would not copy.
    yield { key, value: new Uint8Array(row.buffer, 0, length + TRAILER) };
  }
}

function readTrailer(row: Uint8Array, at: number): number {
  const low = (row[at] as number) | ((row[at + 1] as number) << 8) | ((row[at + 2] as number) << 16);
  return (low | ((row[at + 3] as number) << 24)) >>> 0;
}
