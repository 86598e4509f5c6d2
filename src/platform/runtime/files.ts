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
  /** Opens a file for appending, durably creating it when it is not there. */
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
