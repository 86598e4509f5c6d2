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
  /** Gives a file another name in the same folder, durably; what has that name is gone. */
  rename(from: string, to: string): void;
  /** Removes a file; does nothing when it is not there. */
  remove(path: string): void;
  /** Whether a file is there. */
  exists(path: string): boolean;
  /** Whether a folder lies where nothing can be written, as on a medium that is mounted so. */
  isReadOnly(directory: string): boolean;
  /** Writes a whole file: whoever reads it, even after a power loss, finds the old content or the new. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Opens a file for appending, making it when it is not there; a new file is durable with its first append. */
  openAppend(path: string): AppendFile;
  /** Opens a file that grows and is written anew from time to time, making it when it is not there. */
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
  /** Whether it still counts: it does not once its folder was removed. */
  isThere(): boolean;
}

/** A file that only grows. */
export interface AppendFile {
  /** Resolves when the bytes are on disk. One call at a time. */
  append(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/**
 * A small file that grows by records and is written anew from time to time. What was written outlives the process from then
 * on: the operating system has it. Only `replace` waits for the disk, so a power loss may take what came after.
 */
export interface RewritableFile {
  /** Adds bytes at the end, at once: all of them, or none and an error of the file system. */
  write(bytes: Uint8Array): void;
  /** Empties the file, at once; not during `replace`. */
  clear(): void;
  /**
   * Puts other content in the place of what is there; what is written meanwhile follows it. Whoever reads the file finds the
   * old content or the new. Resolves when it is on disk. One call at a time.
   */
  replace(bytes: Uint8Array): Promise<void>;
  close(): void;
}
