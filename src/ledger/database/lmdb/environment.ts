import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { type Database, open, type RootDatabase, type Transaction } from "lmdb";
import { MAP_BYTES } from "./first-pages.ts";

/** Before all keys. */
const FIRST = Uint8Array.of(0);
/** As much as LMDB writes first. */
const NEW_FILE_BYTES = 8192;
/**
 * A batch is handed over whole before it is begun: else lmdb sleeps for a millisecond at each row after the first 300,000.
 * Its types do not know of the first option.
 */
const BATCHES = {
  batchStartThreshold: Number.MAX_SAFE_INTEGER,
  // Else lmdb puts the batch into one of its own a turn later, whose promise nobody has: a failing disk rejects it unheard.
  eventTurnBatching: false,
};

type Rows = Database<Uint8Array, Uint8Array>;
/** Key and value. */
type Row = readonly [Uint8Array, Uint8Array];

/** One opening of a file, and what reads in it. */
interface Opened {
  readonly env: RootDatabase<Uint8Array, Uint8Array>;
  readonly isReadOnly: boolean;
  readonly ranges: Set<Iterator<unknown>>;
  readonly copies: Set<Transaction>;
  readonly lost: AbortController;
  readonly neighbours: Readonly<Record<Side, (key: Uint8Array) => Row | undefined>>;
}

/** Which row beside a key: the last before it, or the first from it on. */
export type Side = "below" | "from";

/**
 * An environment of LMDB on one file, reopened when it has died: LMDB gives one up for good when its first pages could
 * not be written, reads included, while the file is as it was before the batch.
 */
export class Environment {
  readonly #path: string;
  readonly #isReadOnly: boolean;
  #opened: Opened;

  /** @param isNew - there is no file yet: if the disk accepts none, LMDB ends the process instead of reporting it */
  constructor(
    path: string,
    { isReadOnly, isNew }: { readonly isReadOnly: boolean; readonly isNew: boolean },
  ) {
    this.#path = path;
    this.#isReadOnly = isReadOnly;
    if (isNew && !isReadOnly) tryToWrite(path);
    this.#opened = opened(path, isReadOnly);
  }

  get env(): RootDatabase<Uint8Array, Uint8Array> {
    return this.#opened.env;
  }

  neighbour(key: Uint8Array, side: Side): Row | undefined {
    return this.#opened.neighbours[side](key);
  }

  /** Rows from ≤ key < to; goes on behind the last one where the environment was reopened meanwhile. */
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
   * Keeps the pages of this moment from being used again while something reads the file.
   * @param read - is given up by its signal when the environment is reopened
   */
  async whileKept(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
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

  /** Before a write: takes up writing again where the file could only be opened for reading. @throws Error of LMDB */
  makeWritable(): void {
    if (this.#opened.isReadOnly && !this.#isReadOnly) this.#open(false);
  }

  /** After a failed write: reopens the file where the environment has died, read-only if the disk insists. */
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
    end(this.#opened);
    this.#opened = opened(this.#path, isReadOnly);
  }
}

function opened(path: string, isReadOnly: boolean): Opened {
  const env = open<Uint8Array, Uint8Array>({
    path,
    noSubdir: true,
    keyEncoding: "binary",
    encoding: "binary",
    mapSize: MAP_BYTES,
    readOnly: isReadOnly,
    noMemInit: true,
    // A batch is large and rare: its pages are on disk before the page that makes them count is written.
    overlappingSync: false,
    ...BATCHES,
  });
  return {
    ...{ env, isReadOnly, ranges: new Set(), copies: new Set(), lost: new AbortController() },
    neighbours: { below: neighbourIn(env, true), from: neighbourIn(env, false) },
  };
}

/** Ends all readers and the environment at once: from the next turn on, reads go to the next one. */
function end({ env, ranges, copies, lost }: Opened): void {
  lost.abort(new Error("EIO: the database had to be opened anew"));
  for (const reading of copies) reading.done();
  copies.clear();
  for (const rows of ranges) rows.return?.();
  ranges.clear();
  // Closing waits for writes by this method, and a turn passes even if there are none.
  void Object.assign(env, { _endWrites: undefined }).close();
}

/** Whether reads are answered. */
function isAlive(env: Rows): boolean {
  try {
    env.resetReadTxn();
    env.getBinaryFast(FIRST);
    return true;
  } catch {
    return false;
  }
}

/** @throws Error of the system where nothing can be written */
function tryToWrite(path: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeSync(file, new Uint8Array(NEW_FILE_BYTES));
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

/**
 * The row beside a key. A range costs 9 µs to make and 3 µs to begin, and reads its start when it begins: one is made.
 * @param reverse - below the key, otherwise from it on
 */
function neighbourIn(env: Rows, reverse: boolean): (key: Uint8Array) => Row | undefined {
  const bounds = { start: FIRST as Uint8Array, limit: 1, reverse, exclusiveStart: reverse };
  const rows = env.getRange(bounds);
  return (start) => {
    bounds.start = start;
    const [row] = rows;
    return row && [plain(row.key), plain(row.value)];
  };
}

/**
 * A plain view of a buffer: the `slice` of a Buffer would not copy, and `getBinaryFast` returns a long buffer of its own
 * with a shortened `length`.
 */
export function plain(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}
