import { concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { RuntimeError } from "../errors.ts";
import type { AppendFile, Files, RewritableFile } from "../files.ts";

/** Files in memory that can lose power. */
export interface SimulatedFiles extends Files {
  /**
   * The files as they would be after a power loss now: of appends in flight and of unsynced writes, only `keep(bytes)` bytes are
   * left, and of these only the sectors for which `isWritten` returns true; the others read as zeros. The original is unchanged.
   */
  afterPowerLoss(keep: (appending: number) => number, isWritten?: () => boolean): SimulatedFiles;
  /** Overwrites one byte, as a failing disk would. */
  flipByte(path: string, offset: number): void;
  /** The next append or write fails with this error, as on a full disk. */
  failNextAppend(error: Error): void;
}

/** Bytes that a disk writes atomically. */
const SECTOR = 512;

interface SimulatedFile {
  durable: Uint8Array;
  /** In the page cache; not necessarily on disk. */
  cached: Uint8Array;
  appending: Uint8Array | undefined;
}

/** Creates a file system in memory. Folders are only prefixes of names. */
export function createSimulatedFiles(initial: ReadonlyMap<string, Uint8Array> = new Map()): SimulatedFiles {
  const entries = new Map<string, SimulatedFile>();
  for (const [path, durable] of initial) entries.set(path, entryFrom(durable));
  const locks = new Set<string>();
  let failure: Error | undefined;

  const entryOf = (path: string): SimulatedFile => {
    const entry = entries.get(path);
    if (!entry) throw new Error(`no such file: ${path}`);
    return entry;
  };
  const made = (path: string): SimulatedFile => {
    const entry = entries.get(path) ?? entryFrom(new Uint8Array(0));
    entries.set(path, entry);
    return entry;
  };
  const throwInjectedFailure = (): void => {
    const error = failure;
    failure = undefined;
    if (error) throw error;
  };
  const append = async (entry: SimulatedFile, bytes: Uint8Array): Promise<void> => {
    throwInjectedFailure();
    entry.appending = bytes.slice();
    await new Promise((resolve) => setImmediate(resolve));
    entry.durable = concat(entry.durable, entry.appending);
    entry.appending = undefined;
  };
  return {
    createDirectory: () => {},
    list(directory) {
      const prefix = `${directory}/`;
      return [...entries.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
    },
    read: (path) => concat(entryOf(path).durable, entryOf(path).cached),
    truncate: (path, length) => {
      const entry = entryOf(path);
      entry.durable = concat(entry.durable, entry.cached).slice(0, length);
      entry.cached = EMPTY_BYTES;
    },
    rename(from, to) {
      entries.set(to, entryOf(from));
      entries.delete(from);
    },
    remove: (path) => void entries.delete(path),
    exists: (path) => entries.has(path),
    isRegularOrNone: () => true,
    isReadOnly: () => false,
    async replace(path, bytes) {
      await new Promise((resolve) => setImmediate(resolve));
      entries.set(path, entryFrom(bytes.slice()));
    },
    openAppend(path): AppendFile {
      const entry = made(path);
      return { append: (bytes) => append(entry, bytes), close: () => {} };
    },
    openRewritable(path): RewritableFile {
      const entry = made(path);
      return {
        write(bytes) {
          throwInjectedFailure();
          entry.cached = concat(entry.cached, bytes);
        },
        clear: () => Object.assign(entry, entryFrom(EMPTY_BYTES)),
        async replace(bytes) {
          throwInjectedFailure();
          const { cached } = entry;
          await new Promise((resolve) => setImmediate(resolve));
          Object.assign(entry, entryFrom(bytes.slice()), { cached: entry.cached.slice(cached.length) });
        },
        close: () => {},
      };
    },
    async lock(path) {
      if (locks.has(path)) throw new RuntimeError("LOCK_HELD", `${path} is in use`, { path });
      locks.add(path);
      return { release: () => void locks.delete(path), isThere: () => locks.has(path) };
    },
    afterPowerLoss(keep, isWritten = () => true) {
      const left = new Map<string, Uint8Array>();
      for (const [path, { durable, cached, appending }] of entries) {
        const unsure = concat(cached, appending ?? EMPTY_BYTES);
        const torn = unsure.slice(0, unsure.length === 0 ? 0 : keep(unsure.length));
        for (let at = 0; at < torn.length; ) {
          const next = at + SECTOR - ((durable.length + at) % SECTOR);
          if (!isWritten()) torn.fill(0, at, Math.min(next, torn.length));
          at = next;
        }
        left.set(path, concat(durable, torn));
      }
      return createSimulatedFiles(left);
    },
    flipByte(path, offset) {
      const { durable } = entryOf(path);
      durable[offset] = (durable[offset] as number) ^ 0x40;
    },
    failNextAppend: (error) => {
      failure = error;
    },
  };
}

function entryFrom(durable: Uint8Array): SimulatedFile {
  return { durable, cached: EMPTY_BYTES, appending: undefined };
}
