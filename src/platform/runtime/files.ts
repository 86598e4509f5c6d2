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
  /** Removes a file; does nothing when it is not there. */
  remove(path: string): void;
  /** Whether a file is there. */
  exists(path: string): boolean;
  /** Writes a whole file: whoever reads it, even after a power loss, finds the old content or the new. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** Opens a file for appending, making it when it is not there; a new file is durable with its first append. */
  openAppend(path: string): AppendFile;
  /**
   * Takes a lock that one running process can hold, named by a file; a lock left by a dead process is taken over.
   * Returns the function that gives it back.
   * @throws RuntimeError `LOCK_HELD`
   */
  lock(path: string): () => void;
}

/** A file that only grows. */
export interface AppendFile {
  /** Resolves when the bytes are on disk. One call at a time. */
  append(bytes: Uint8Array): Promise<void>;
  close(): void;
}
