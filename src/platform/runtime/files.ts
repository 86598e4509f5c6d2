/** The part of a file system a database needs. Paths are absolute or relative to the working folder. */
export interface Files {
  /** Makes a folder with its parents; does nothing when it is there. */
  createDirectory(path: string): void;
  /** Names in a folder, in no order. */
  list(directory: string): readonly string[];
  /** The whole content. */
  read(path: string): Uint8Array;
  /** Cuts a file to `length` bytes, durably. */
  truncate(path: string, length: number): void;
  /** Renames a file within its folder, durably; an existing file of that name is replaced. */
  rename(from: string, to: string): void;
  /** Removes a file; does nothing when it is not there. */
  remove(path: string): void;
  /** Whether a file is there. */
  exists(path: string): boolean;
  /** Whether a folder is on a read-only medium. */
  isReadOnly(directory: string): boolean;
  /** Writes a file atomically: a reader finds the old content or the new, even after a power loss. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Opens a file for appending, making it when it is not there; a new file is durable with its first append.
   * @param readers - who may read a newly created file: by default everybody
   * @throws RuntimeError `FILE_KIND` for a link, a pipe, a device or a folder, which are neither followed nor written to
   */
  openAppend(path: string, readers?: "owner" | "everybody"): AppendFile;
  /** Opens a file that is appended to and rewritten from time to time, creating it if missing. */
  openRewritable(path: string): RewritableFile;
  /**
   * Takes a lock that one running process can hold, named by a path; a lock left by a dead process is taken over.
   * @throws RuntimeError `LOCK_HELD`
   */
  lock(path: string): Promise<Lock>;
}

/** A lock that this process holds. */
export interface Lock {
  /** Gives it back. */
  release(): void;
  /** Whether it is still valid: not once its folder was removed. */
  isThere(): boolean;
}

/** A file that only grows. */
export interface AppendFile {
  /** Resolves when the bytes are on disk. One call at a time. */
  append(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/**
 * A small file of records that is appended to and rewritten from time to time. What was written survives the process:
 * the operating system has it. Only `replace` waits for the disk, so a power loss may take what came after.
 */
export interface RewritableFile {
  /** Adds bytes at the end, at once: all of them, or none and an error of the file system. */
  write(bytes: Uint8Array): void;
  /** Empties the file, at once; not during `replace`. */
  clear(): void;
  /**
   * Replaces the content; what is appended meanwhile follows it. A reader finds the old content or the new. Resolves
   * when it is on disk. One call at a time.
   */
  replace(bytes: Uint8Array): Promise<void>;
  close(): void;
}
