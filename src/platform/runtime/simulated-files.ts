import { concat } from "../../protocol/primitives/bytes.ts";
import { RuntimeError } from "./errors.ts";
import type { AppendFile, Files } from "./files.ts";

/** Files in memory that can lose power. */
export interface SimulatedFiles extends Files {
  /**
   * What a machine would find after a power loss now: of each append under way only `keep(bytes)` bytes are left.
   * The files of before go on unharmed.
   */
  afterPowerLoss(keep: (appending: number) => number): SimulatedFiles;
  /** Overwrites one byte, as a failing disk would. */
  flipByte(path: string, offset: number): void;
  /** The next append fails with this error, as on a full disk. */
  failNextAppend(error: Error): void;
}

interface Entry {
  durable: Uint8Array;
  appending: Uint8Array | undefined;
}

/** Makes files in memory, at first none. Folders are only prefixes of names. */
export function createSimulatedFiles(initial: ReadonlyMap<string, Uint8Array> = new Map()): SimulatedFiles {
  const entries = new Map<string, Entry>();
  for (const [path, durable] of initial) entries.set(path, { durable, appending: undefined });
  const locks = new Set<string>();
  let failure: Error | undefined;

  const entryOf = (path: string): Entry => {
    const entry = entries.get(path);
    if (!entry) throw new Error(`no such file: ${path}`);
    return entry;
  };
  const append = async (entry: Entry, bytes: Uint8Array): Promise<void> => {
    const error = failure;
    failure = undefined;
    if (error) throw error;
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
    read: (path) => entryOf(path).durable.slice(),
    truncate: (path, length) => {
      const entry = entryOf(path);
      entry.durable = entry.durable.slice(0, length);
    },
    remove: (path) => void entries.delete(path),
    exists: (path) => entries.has(path),
    async replace(path, bytes) {
      await new Promise((resolve) => setImmediate(resolve));
      entries.set(path, { durable: bytes.slice(), appending: undefined });
    },
    openAppend(path): AppendFile {
      const entry = entries.get(path) ?? { durable: new Uint8Array(0), appending: undefined };
      entries.set(path, entry);
      return { append: (bytes) => append(entry, bytes), close: () => {} };
    },
    lock(path) {
      if (locks.has(path)) throw new RuntimeError("LOCK_HELD", `${path} is in use`, { path });
      locks.add(path);
      return () => void locks.delete(path);
    },
    afterPowerLoss(keep) {
      const left = new Map<string, Uint8Array>();
      for (const [path, { durable, appending }] of entries) {
        const torn = appending?.subarray(0, keep(appending.length)) ?? new Uint8Array(0);
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
