import { join } from "node:path";
import type { Cancel, Clock, Timers } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { type Address, isZeroBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { WalletError, walletError } from "../errors.ts";
import type { AccountRef, WalletAccount } from "../wallet.ts";
import { keyFileAddress } from "./key-file.ts";
import { type KeyFileStat, type KeyFolder, MAX_KEY_FILE_BYTES } from "./key-folder.ts";

/** A key file in the index. */
export interface IndexedFile extends WalletAccount {
  readonly name: string;
}

interface KnownFile {
  readonly stamp: string;
  /** Absent when the file holds no account. */
  readonly file?: IndexedFile;
}

/** Maximum number of names read from the folder: each file takes time at start-up. */
const MAX_FILES = 100_000;
/** Changes of a watched folder are batched, until this long after the first. */
const BATCH_MS = 500;
/** Maximum time for a draft to become a key file. */
const MAX_DRAFT_AGE_MS = 600_000;
/** Minimum interval of rescanning when the folder cannot be watched, as before it exists. */
const RESCAN_MS = 1000;

/**
 * Index of the key files in a folder, by account. The folder is read at the first use and then watched; where watching
 * fails it is rescanned on use. Files are read but not decrypted.
 */
export class KeyFileIndex {
  readonly #folder: KeyFolder;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #logger: Logger;
  readonly #known = new Map<string, KnownFile>();
  readonly #byAddress = new Map<string, IndexedFile[]>();
  /** Names of files readable by others that have been reported. */
  readonly #reportedNames = new Set<string>();
  #sorted: readonly IndexedFile[] | undefined;
  #stopWatching: (() => void) | undefined;
  #scannedAt = Number.NEGATIVE_INFINITY;
  /** Why the folder could not be read at the last attempt. */
  #unreadable: unknown;
  #pending: Cancel | undefined;
  /** Names that changed since the last update; undefined when any may have. */
  #changed: Set<string> | undefined = new Set();

  constructor(folder: KeyFolder, parts: { clock: Clock; timers: Timers; logger: Logger }) {
    this.#folder = folder;
    this.#clock = parts.clock;
    this.#timers = parts.timers;
    this.#logger = parts.logger;
  }

  /** All files with an account, by path. @throws WalletError `KEY_FOLDER` when the folder cannot be read */
  files(): readonly IndexedFile[] {
    this.#refresh();
    this.#sorted ??= [...this.#byAddress.values()].flat().sort((a, b) => (a.url < b.url ? -1 : 1));
    return this.#sorted;
  }

  /** Files of one account. @throws WalletError as `files` */
  filesOf(address: Address): readonly IndexedFile[] {
    this.#refresh();
    return this.#byAddress.get(bytesToHex(address)) ?? [];
  }

  /**
   * The only file of an account; for the zero address the only file in the folder.
   * @throws WalletError `NO_KEY`, `AMBIGUOUS_ADDRESS`, and as `files`
   */
  find(account: AccountRef): IndexedFile {
    const { address, url } = account instanceof Uint8Array ? { address: account, url: undefined } : account;
    const files = isZeroBytes(address) ? this.files() : this.filesOf(address);
    const [first, ...others] = url === undefined ? files : files.filter((file) => file.url === url);
    if (first === undefined) throw walletError("NO_KEY");
    if (others.length === 0) return first;
    const paths = [first, ...others].map(({ name }) => join(this.#folder.path, name)).sort();
    throw new WalletError("AMBIGUOUS_ADDRESS", `multiple keys match address (${paths.join(", ")})`);
  }

  /** Updates the index for one file, after writing or removing it. @throws WalletError as `files` */
  update(name: string): void {
    const stat = isSkipped(name) ? undefined : this.#folder.stat(name);
    const known = this.#known.get(name);
    if (known?.stamp === stat?.stamp) return;
    if (known?.file) this.#remove(known.file);
    this.#known.delete(name);
    if (stat === undefined) return;
    const file = this.#read(name, stat.size);
    if (file) this.#checkAccess(name, stat);
    this.#known.set(name, file ? { stamp: stat.stamp, file } : { stamp: stat.stamp });
    if (file) this.#add(file);
  }

  /** Stops watching. */
  close(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#pending?.();
    this.#pending = undefined;
  }

  #refresh(): void {
    if (this.#stopWatching !== undefined) return;
    const now = this.#clock.elapsed();
    if (now - this.#scannedAt >= RESCAN_MS) this.#rescan(now);
    if (this.#unreadable !== undefined) throw this.#unreadable;
  }

  /** Reads the folder and watches it from now on. Where it cannot be read, the index is kept until it can be. */
  #rescan(now: number): void {
    const isFirst = this.#scannedAt === Number.NEGATIVE_INFINITY;
    this.#scannedAt = now;
    try {
      if (isFirst) this.#removeDrafts(this.#clock.now());
      this.#checkFolder();
      this.#stopWatching = this.#folder.watch((name) => this.#onChange(name));
      this.#scan();
      this.#unreadable = undefined;
    } catch (error) {
      this.close();
      this.#unreadable = error;
    }
  }

  #removeDrafts(now: number): void {
    const removed = this.#folder.removeDrafts(now - MAX_DRAFT_AGE_MS, MAX_FILES);
    if (removed.length > 0) this.#logger.info("removed unfinished key files", { files: removed });
  }

  #scan(): void {
    const names = new Set(this.#folder.names(MAX_FILES));
    if (names.size === MAX_FILES)
      this.#logger.warn("too many files in the keystore; the rest is ignored", { read: MAX_FILES });
    for (const name of this.#known.keys()) if (!names.has(name)) this.update(name);
    for (const name of names) this.update(name);
  }

  #onChange(name: string | undefined): void {
    if (name === undefined) this.#changed = undefined;
    else this.#changed?.add(name);
    this.#pending ??= this.#timers.schedule(BATCH_MS, () => {
      const changed = this.#changed;
      this.#changed = new Set();
      this.#pending = undefined;
      try {
        for (const name of changed ?? []) this.update(name);
        if (changed === undefined) this.#invalidate();
      } catch {
        this.#invalidate(); // the next caller gets the error
      }
    });
  }

  /** For when watching has ended, as when the folder was removed: the next use reads and watches it again. */
  #invalidate(): void {
    this.close();
    this.#scannedAt = Number.NEGATIVE_INFINITY;
  }

  #read(name: string, size: number): IndexedFile | undefined {
    if (size > MAX_KEY_FILE_BYTES) {
      this.#report(name, `too large for a key file: ${size} bytes`);
      return undefined;
    }
    try {
      const address = keyFileAddress(this.#folder.read(name));
      if (address) return { name, address, url: `keystore://${join(this.#folder.path, name)}` };
      this.#report(name, "no JSON with an address");
    } catch (error) {
      this.#report(name, (error as Error).message);
    }
    return undefined;
  }

  /** Reported once per version of a file. Files not named like key files do not merit a warning. */
  #report(file: string, reason: string): void {
    const level = file.startsWith("UTC--") ? "warn" : "debug";
    this.#logger[level]("ignored a file in the keystore", { file, reason });
  }

  /** The key is encrypted, yet anyone who reads the file can guess its passphrase. Reported once per file. */
  #checkAccess(name: string, { sharedMode: mode }: KeyFileStat): void {
    if (mode === undefined || this.#reportedNames.has(name)) return;
    this.#reportedNames.add(name);
    const file = join(this.#folder.path, name);
    this.#logger.warn("a key file can be read by others than its owner", {
      ...{ file, mode, fix: `chmod 600 '${file}'` },
    });
  }

  /** Anyone who can enter the folder can copy its files; anyone who can write to it can replace keys. */
  #checkFolder(): void {
    const folder = this.#folder.path;
    const mode = this.#folder.sharedMode();
    if (mode === undefined || this.#reportedNames.has(".")) return;
    this.#reportedNames.add(".");
    this.#logger.warn("the keystore is open to others than its owner", {
      ...{ folder, mode, fix: `chmod 700 '${folder}'` },
    });
  }

  #add(file: IndexedFile): void {
    const key = bytesToHex(file.address);
    const files = this.#byAddress.get(key);
    if (files) files.push(file);
    else this.#byAddress.set(key, [file]);
    this.#sorted = undefined;
  }

  #remove(file: IndexedFile): void {
    const key = bytesToHex(file.address);
    const left = this.#byAddress.get(key)?.filter((other) => other !== file) ?? [];
    if (left.length > 0) this.#byAddress.set(key, left);
    else this.#byAddress.delete(key);
    this.#sorted = undefined;
  }
}

/** Editor backups and hidden files, among them drafts of key files. */
function isSkipped(name: string): boolean {
  return name.endsWith("~") || name.startsWith(".");
}
