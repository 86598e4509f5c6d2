import { closeSync, openSync, writeSync } from "node:fs";
import { type Database, open, type RootDatabase, type Transaction } from "lmdb";
import { removeFile } from "../../../platform/runtime/remove-file.ts";
import { MAP_BYTES } from "./meta-pages.ts";

/** Below all keys. */
const FIRST = Uint8Array.of(0);
/** Space that a new database needs at least: LMDB's files, the first batch, two segments of the log. */
const NEW_BYTES = 1 << 20;
type Rows = Database<Uint8Array, Uint8Array>;
/** Key and value. */
type Row = readonly [Uint8Array, Uint8Array];

/** An open environment and its readers. */
interface OpenEnvironment {
  readonly env: RootDatabase<Uint8Array, Uint8Array>;
  readonly isReadOnly: boolean;
  readonly ranges: Set<Iterator<unknown>>;
  readonly copies: Set<Transaction>;
  readonly lost: AbortController;
  readonly neighbours: Readonly<Record<Side, (key: Uint8Array) => Row | undefined>>;
}

/** Which neighbour of a key: the last row below it, or the first at or above it. */
export type Side = "below" | "from";

/**
 * An LMDB environment on one file, reopened when it has died: if its meta pages could not be written, LMDB permanently
 * refuses all use of the environment, even reads, while the file is still as it was before the batch.
 */
export class Environment {
  readonly #path: string;
  readonly #isReadOnly: boolean;
  #opened: OpenEnvironment;

  /** @param isNew - there is no file yet; writing is probed first, as LMDB crashes the process if it cannot create one */
  constructor(
    path: string,
    { isReadOnly, isNew }: { readonly isReadOnly: boolean; readonly isNew: boolean },
  ) {
    this.#path = path;
    this.#isReadOnly = isReadOnly;
    if (isNew && !isReadOnly) probeWrite(path);
    this.#opened = openEnvironment(path, isReadOnly);
  }

  get env(): RootDatabase<Uint8Array, Uint8Array> {
    return this.#opened.env;
  }

  neighbour(key: Uint8Array, side: Side): Row | undefined {
    return this.#opened.neighbours[side](key);
  }

  /** Rows from ≤ key < to; continues after the last one if the environment is reopened meanwhile. */
  *range(from: Uint8Array, to: Uint8Array, reverse: boolean): Generator<Row> {
    for (let [start, end, last] = [from, to, undefined as Uint8Array | undefined]; ; ) {
      const { env, ranges } = this.#opened;
      const bounds = reverse
        ? { start: last ?? end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true }
        : { start: last ?? start, end, exclusiveStart: last !== undefined };
      const rows = env.getRange(bounds)[Symbol.iterator]();
      ranges.add(rows);
      try {
        for (;;) {
          const { done, value } = rows.next();
          if (done) return;
          last = plain(value.key);
          yield [last, plain(value.value)];
          if (!ranges.has(rows)) break;
        }
      } finally {
        if (ranges.delete(rows)) rows.return?.();
      }
    }
  }

  /**
   * Holds a read transaction, so that none of the pages it sees are reused while `read` reads the file directly.
   * @param read - aborted by its signal when the environment is reopened
   */
  async withReadTransaction(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { env, copies, lost } = this.#opened;
    env.resetReadTxn();
    const reading = env.useReadTransaction();
    copies.add(reading);
    try {
      await read(lost.signal);
    } finally {
      if (copies.delete(reading)) reading.done();
    }
  }

  /** To be called before a write: reopens an environment that could only be opened read-only. @throws Error of LMDB */
  makeWritable(): void {
    if (this.#opened.isReadOnly && !this.#isReadOnly) this.#open(false);
  }

  /** To be called after a failed write: reopens the environment if it has died, read-only if there is no other way. */
  revive(): void {
    if (isAlive(this.env)) return;
    try {
      this.#open(false);
    } catch {
      this.#open(true);
    }
  }

  close(): Promise<void> {
    return this.env.close();
  }

  #open(isReadOnly: boolean): void {
    closeEnvironment(this.#opened);
    this.#opened = openEnvironment(this.#path, isReadOnly);
  }
}

function openEnvironment(path: string, isReadOnly: boolean): OpenEnvironment {
  const env = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: true,
    keyEncoding: "binary",
    encoding: "binary",
    mapSize: MAP_BYTES,
    readOnly: isReadOnly,
    noMemInit: true,
    // Batches are large and rare: their pages are synced before the meta page that makes them visible is written.
    overlappingSync: false,
  });
  return {
    ...{ env, isReadOnly, ranges: new Set(), copies: new Set(), lost: new AbortController() },
    neighbours: { below: neighbourIn(env, true), from: neighbourIn(env, false) },
  };
}

/** Ends all readers and closes the environment; from the next turn on, reads go to its successor. */
function closeEnvironment({ env, ranges, copies, lost }: OpenEnvironment): void {
  lost.abort(new Error("EIO: the database had to be reopened"));
  for (const reading of copies) reading.done();
  copies.clear();
  for (const rows of ranges) rows.return?.();
  ranges.clear();
  // `close` would await pending writes through this method, which takes a turn even if there are none.
  void Object.assign(env, { _endWrites: undefined }).close();
}

/** Whether the environment still serves reads. */
function isAlive(env: Rows): boolean {
  try {
    env.resetReadTxn();
    env.getBinaryFast(FIRST);
    return true;
  } catch {
    return false;
  }
}

/** Checks that there is space for a new database, and gives it back. @throws Error of the system */
function probeWrite(path: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    const zeros = new Uint8Array(NEW_BYTES);
    // At a limit the system writes what it can, and fails the next write.
    for (let at = 0; at < NEW_BYTES; ) at += writeSync(file, zeros, at);
  } finally {
    closeSync(file);
    removeFile(draft);
  }
}

/**
 * The neighbour of a key. A range costs 9 µs to create and 3 µs to start, and reads its bounds only then, so that a single
 * one is reused.
 * @param reverse - the neighbour below the key rather than at or above it
 */
function neighbourIn(env: Rows, reverse: boolean): (key: Uint8Array) => Row | undefined {
  const bounds = { start: FIRST as Uint8Array, limit: 1, reverse, exclusiveStart: reverse };
  const rows = env.getRange(bounds);
  return (start) => {
    bounds.start = start;
    const [row] = rows;
    // A copy: a view of a short array moves its bytes out of V8's heap, ten times the cost.
    return row && [new Uint8Array(row.key), plain(row.value)];
  };
}

/**
 * A plain view of a buffer: `slice` of a Buffer would not copy, and `getBinaryFast` returns its own longer buffer with a
 * shortened `length`.
 */
export function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}
