import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { WalletError } from "../errors.ts";

/** What is known of a file without reading it. */
export interface KeyFileStat {
  /** Changes whenever the file or the right to read it does. */
  readonly stamp: string;
  /** In bytes. */
  readonly size: number;
  /** Whether others than the owner may read it. */
  readonly isShared: boolean;
}

/** The folder of key files, as the key store needs it; handed in so that tests need no disk. */
export interface KeyFolder {
  /** Absolute path. */
  readonly path: string;
  /**
   * Names of the regular files in it; none when it does not exist. Symbolic links are not followed.
   * @throws WalletError `KEY_FOLDER` when it may not be read or is no folder
   */
  names(): readonly string[];
  /**
   * Undefined when it is not there or no regular file.
   * @throws WalletError `KEY_FOLDER` when it cannot be told, as the folder may not be entered
   */
  stat(name: string): KeyFileStat | undefined;
  /** @throws WalletError `KEY_FILE` when the file cannot be read */
  read(name: string): string;
  /**
   * Writes a file that only the owner may read. `verify` sees what was stored; when it throws, nothing changes.
   * A crash leaves the old file or the new one.
   */
  write(name: string, content: string, verify: (stored: string) => void): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Removes drafts that a crash left behind.
   * @param before - epoch milliseconds; younger ones may still be in the making
   * @returns their names
   */
  removeDrafts(before: number): readonly string[];
  /**
   * Calls `onChange` with the name of each file that changes, or without when any may have and watching broke off.
   * @returns what ends it; undefined when watching is not possible (yet)
   */
  watch(onChange: (name: string | undefined) => void): (() => void) | undefined;
}

/** Names of drafts: ours end in the numbers of process and draft, those of the reference node in a random one. */
const DRAFT = /^\..+\.tmp[0-9]+$/;

/** Drafts of this process so far: two for one file must not write over each other. */
let drafts = 0;

/** A folder on disk; made with the first file. */
export function createKeyFolder(path: string): KeyFolder {
  const folder = resolve(path);
  return {
    path: folder,
    names: () => list(folder).filter(isFile).map(nameOf),
    stat: (name) => stat(join(folder, name)),
    read: (name) => read(join(folder, name)),
    write: (name, content, verify) => write(folder, name, content, verify),
    remove: (name) => fs.promises.rm(join(folder, name)),
    removeDrafts: (before) =>
      list(folder)
        .filter((entry) => isFile(entry) && DRAFT.test(entry.name))
        .map(nameOf)
        .filter((name) => removeOlder(join(folder, name), before)),
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

/** @throws WalletError `KEY_FOLDER` unless it can be read or does not exist */
function list(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(cause);
  }
}

function stat(path: string): KeyFileStat | undefined {
  try {
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    const { mtimeMs, ctimeMs, size, ino, mode } = found;
    return { stamp: `${mtimeMs} ${ctimeMs} ${size} ${ino}`, size, isShared: isShared(mode) };
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): WalletError {
  return new WalletError(
    "KEY_FOLDER",
    `could not read the key store: ${(cause as Error).message}`,
    {},
    { cause },
  );
}

function read(path: string): string {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (cause) {
    const text = `could not read the key file: ${(cause as Error).message}`;
    throw new WalletError("KEY_FILE", text, {}, { cause });
  }
}

/** Removes a file last changed before a time, where that is allowed. @returns whether it did */
function removeOlder(path: string, before: number): boolean {
  try {
    if (fs.lstatSync(path).mtimeMs >= before) return false;
    fs.rmSync(path);
    return true;
  } catch {
    return false;
  }
}

async function write(
  folder: string,
  name: string,
  content: string,
  verify: (stored: string) => void,
): Promise<void> {
  await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${name}.tmp${process.pid}${drafts++}`);
  try {
    const file = await fs.promises.open(draft, "w", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    verify(await fs.promises.readFile(draft, "utf8"));
    await fs.promises.rename(draft, join(folder, name));
  } catch (cause) {
    await fs.promises.rm(draft, { force: true }).catch(() => undefined); // the cause tells more
    throw cause instanceof WalletError
      ? cause
      : new WalletError(
          "KEY_FILE_WRITE",
          `could not store the key file: ${(cause as Error).message}`,
          {},
          { cause },
        );
  }
  await syncFolder(folder);
}

/** A new name survives a power loss only when its folder was synced too; Windows cannot and need not. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.promises.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Windows has no such bits: there they say nothing. */
function isShared(mode: number): boolean {
  return process.platform !== "win32" && (mode & 0o044) !== 0;
}

function isFile(entry: fs.Dirent): boolean {
  return entry.isFile();
}

function nameOf(entry: fs.Dirent): string {
  return entry.name;
}
