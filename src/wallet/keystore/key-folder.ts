import { randomInt } from "node:crypto";
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { createFolder } from "../../platform/runtime/create-folder.ts";
import { readBounded } from "../../platform/runtime/read-bounded.ts";
import { syncDirectory } from "../../platform/runtime/system/sync-directory.ts";
import { WalletError } from "../errors.ts";

/** Metadata of a file. */
export interface KeyFileStat {
  /** Changes whenever the file or its permissions do. */
  readonly stamp: string;
  /** In bytes. */
  readonly size: number;
  /** Its mode in octal, as for `chmod`, if others than the owner may read or change it. */
  readonly sharedMode: string | undefined;
}

/** Thirty keys, the maximum of an account, take about 20 kB. */
export const MAX_KEY_FILE_BYTES = 2 ** 20;

/** The folder of key files; injected so that tests need no disk. */
export interface KeyFolder {
  /** Absolute path. */
  readonly path: string;
  /** Its mode in octal, as for `chmod`, if others than the owner may enter, read or change it. */
  sharedMode(): string | undefined;
  /**
   * Names of the regular files in it; none when it does not exist. Symbolic links are not followed.
   * @param limit - maximum number of names to read
   * @throws WalletError `KEY_FOLDER` when it may not be read or is not a folder
   */
  names(limit: number): readonly string[];
  /**
   * Undefined when it does not exist or is not a regular file.
   * @throws WalletError `KEY_FOLDER` if this cannot be determined, as when the folder may not be entered
   */
  stat(name: string): KeyFileStat | undefined;
  /** @throws WalletError `KEY_FILE` when the file cannot be read, is not a regular file or is larger than a key file can be */
  read(name: string): string;
  /**
   * Atomically writes a file that only the owner may read. `verify` is passed the stored content; when it throws, nothing
   * changes. A crash leaves the old file or the new one.
   */
  write(name: string, content: string, verify: (stored: string) => void): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Removes drafts that a crash left behind: those of processes that have ended, and old ones.
   * @param before - epoch milliseconds; later drafts of other programs may still be in use
   * @param limit - maximum number of names to read
   * @returns their names
   */
  removeDrafts(before: number, limit: number): readonly string[];
  /**
   * Calls `onChange` with the name of each file that changes, or with undefined when watching has ended and any may have changed.
   * @returns a function that stops watching; undefined when watching is not possible (yet)
   */
  watch(onChange: (name: string | undefined) => void): (() => void) | undefined;
}

/** Names of drafts: ours end in the process id and a random number, those of the reference node in a random number. */
const DRAFT = /^\..*\.tmp([0-9]+)(-[0-9]+)?$/;

/** Paths of the drafts that this process is writing. */
const drafts = new Set<string>();

/** A folder on disk; created with the first file. */
export function createKeyFolder(path: string): KeyFolder {
  const folder = resolve(path);
  return {
    path: folder,
    sharedMode: () => sharedMode(fs.lstatSync(folder, { throwIfNoEntry: false })?.mode ?? 0, 0o077),
    names: (limit) => list(folder, limit).filter(isFile).map(nameOf),
    stat: (name) => stat(join(folder, name)),
    read: (name) => read(join(folder, name)),
    write: (name, content, verify) => write(folder, name, content, verify),
    remove: (name) => fs.promises.rm(join(folder, name)),
    removeDrafts: (before, limit) =>
      list(folder, limit)
        .filter(isFile)
        .map(nameOf)
        .filter((name) => removeDraft(folder, name, before)),
    watch(onChange) {
      try {
        const watcher = fs.watch(folder, { persistent: false }, (_, name) =>
          onChange(name === null || !fs.existsSync(folder) ? undefined : name),
        );
        watcher.on("error", () => onChange(undefined));
        return () => watcher.close();
      } catch {
        return undefined;
      }
    },
  };
}

/** @throws WalletError `KEY_FOLDER` when it exists but cannot be read */
function list(folder: string, limit: number): readonly fs.Dirent[] {
  try {
    const found: fs.Dirent[] = [];
    const directory = fs.opendirSync(folder, { bufferSize: 1024 });
    try {
      for (
        let entry = directory.readSync();
        entry !== null && found.length < limit;
        entry = directory.readSync()
      )
        found.push(entry);
    } finally {
      directory.closeSync();
    }
    return found;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(folder, cause);
  }
}

function stat(path: string): KeyFileStat | undefined {
  try {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    const { mtimeMs, ctimeMs, size, ino, mode } = found;
    return { stamp: `${mtimeMs} ${ctimeMs} ${size} ${ino}`, size, sharedMode: sharedMode(mode, 0o066) };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): WalletError {
  return new WalletError(
    "KEY_FOLDER",
    `could not read the keystore ${path}: ${(cause as Error).message}`,
    { path },
    { cause },
  );
}

function read(path: string): string {
  try {
    return readBounded(path, { maxBytes: MAX_KEY_FILE_BYTES, regularOnly: true }).toString("utf8");
  } catch (cause) {
    const text = `could not read the key file: ${(cause as Error).message}`;
    throw new WalletError("KEY_FILE", text, {}, { cause });
  }
}

/** Removes an abandoned draft, if permitted. @returns whether it was removed */
function removeDraft(folder: string, name: string, before: number): boolean {
  const path = join(folder, name);
  const draft = DRAFT.exec(name);
  if (draft === null || drafts.has(path)) return false;
  const isOurs = draft[2] !== undefined;
  try {
    if (!(isOurs && hasEnded(Number(draft[1]))) && fs.lstatSync(path).mtimeMs >= before) return false;
    fs.rmSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process has ended; our own id is that of a predecessor, as in a restarted container. */
function hasEnded(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

async function write(
  folder: string,
  name: string,
  content: string,
  verify: (stored: string) => void,
): Promise<void> {
  createFolder(folder);
  const draft = join(folder, `.${name}.tmp${process.pid}-${randomInt(2 ** 48 - 1)}`);
  drafts.add(draft);
  try {
    const file = await fs.promises.open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    verify(await fs.promises.readFile(draft, "utf8"));
    await fs.promises.rename(draft, join(folder, name));
  } catch (cause) {
    await fs.promises.rm(draft, { force: true }).catch(() => undefined); // the cause is thrown below
    throw cause instanceof WalletError
      ? cause
      : new WalletError(
          "KEY_FILE_WRITE",
          `could not store the key file: ${(cause as Error).message}`,
          {},
          { cause },
        );
  } finally {
    drafts.delete(draft);
  }
  await syncDirectory(folder);
}

/** Windows has no such permission bits. */
function sharedMode(mode: number, others: number): string | undefined {
  if (process.platform === "win32" || (mode & others) === 0) return undefined;
  return (mode & 0o777).toString(8).padStart(4, "0");
}

function isFile(entry: fs.Dirent): boolean {
  return entry.isFile();
}

function nameOf(entry: fs.Dirent): string {
  return entry.name;
}
