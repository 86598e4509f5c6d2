/** The part of a file system a database needs. Paths are absolute or relative to the working folder. */
export interface Files {
  /** Creates a folder and its parents; does nothing if it exists. */
  createDirectory(path: string): void;
  /** Names in a folder, in no particular order. */
  list(directory: string): readonly string[];
  /** The whole content. @throws RuntimeError `FILE_KIND` for a pipe, a socket, a device or a folder */
  read(path: string): Uint8Array;
  /** Truncates a file to `length` bytes, durably. */
  truncate(path: string, length: number): void;
  /** Renames a file within its folder, durably; an existing file of that name is replaced. */
  rename(from: string, to: string): void;
  /** Removes a file; does nothing if it does not exist. */
  remove(path: string): void;
  /** Whether a file exists. */
  exists(path: string): boolean;
  /** Whether a path is a regular file, or a link to one; also if there is nothing. */
  isRegularOrNone(path: string): boolean;
  /** Whether a folder is on a read-only file system. */
  isReadOnly(directory: string): boolean;
  /** Writes a file atomically: a reader sees either the old content or the new, even after a power loss. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Opens a file for appending, creating it if missing; a new file is durable with its first append.
   * @param readers - who may read a newly created file; by default everybody
   * @throws RuntimeError `FILE_KIND` for a link, a pipe, a device or a folder, which are neither followed nor written to
   */
  openAppend(path: string, readers?: "owner" | "everybody"): AppendFile;
  /** Opens a file that is appended to and rewritten from time to time, creating it if missing. */
  openRewritable(path: string): RewritableFile;
  /**
   * Takes the lock named by a path, which one running process at a time can hold; a lock left by a dead process is taken over.
   * @throws RuntimeError `LOCK_HELD`
   */
  lock(path: string): Promise<Lock>;
}

/** A lock that this process holds. */
export interface Lock {
  /** Releases it. */
  release(): void;
  /** Whether it is still valid: it is lost if its folder is removed. */
  isThere(): boolean;
}

/** A file that only grows. */
export interface AppendFile {
  /** Resolves when the bytes are on disk. One call at a time. */
  append(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/**
 * A small file of records that is appended to and rewritten from time to time. Writes go to the page cache, so they survive a
 * crash of the process. Only `replace` waits for the disk: a power loss may lose what was written after it.
 */
export interface RewritableFile {
  /** Appends bytes synchronously: all of them, or none. @throws the error of the file system */
  write(bytes: Uint8Array): void;
  /** Empties the file synchronously; must not be called during `replace`. */
  clear(): void;
  /**
   * Replaces the content atomically; bytes written meanwhile are appended to the new content. Resolves when it is on disk.
   * One call at a time.
   */
  replace(bytes: Uint8Array): Promise<void>;
  close(): void;
}
