import type { AppendFile, Files } from "../../../platform/runtime/files.ts";
import type { DiskHealth } from "../disk-health.ts";
import { DatabaseError } from "../errors.ts";
import { encodeFrame, type LogRecord } from "./frame.ts";
import { isAppendable, readSegment, segmentName, segmentNames, segmentNumber } from "./segment.ts";

/**
 * Whether the file names of a folder show a log whose first segments were dropped, as happens once their records have
 * been flushed to the engine.
 */
export function isLogContinued(names: readonly string[]): boolean {
  const [oldest] = segmentNames(names);
  return oldest !== undefined && segmentNumber(oldest) > 1;
}

/** A queued task of the log: write a record, or start a new segment. */
interface Task {
  readonly record: LogRecord | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * A write-ahead log in segments, with group commit: at most one write is in progress, and all records appended meanwhile
 * share the next one. A failed write is retried after truncating the file to what was acknowledged.
 */
export class CommitLog {
  readonly #files: Files;
  readonly #directory: string;
  readonly #health: DiskHealth;
  #segments: string[] = [];
  /** Bytes of each segment. */
  readonly #sizes = new Map<string, number>();
  #file: AppendFile | undefined;
  #tasks: Task[] = [];
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #writes = 0;
  #writtenBytes = 0;

  constructor(files: Files, directory: string, health: DiskHealth) {
    this.#files = files;
    this.#directory = directory;
    this.#health = health;
  }

  /** Bytes in the segments that still exist. */
  get bytes(): number {
    let bytes = 0;
    for (const size of this.#sizes.values()) bytes += size;
    return bytes;
  }

  /** Writes since the log was opened, each with a sync, and their total bytes. */
  get written(): { readonly writes: number; readonly bytes: number } {
    return { writes: this.#writes, bytes: this.#writtenBytes };
  }

  /**
   * Passes every whole record to `onRecord` and prepares for appending. A torn last write, never acknowledged, is truncated.
   * @param isReadOnly - a torn write is ignored instead, and nothing can be appended
   * @returns bytes of the torn write
   * @throws DatabaseError `LOG_DAMAGED` if anything but the last write is not whole
   */
  open(onRecord: (record: LogRecord) => void, isReadOnly = false): number {
    this.#segments = segmentNames(this.#files.list(this.#directory));
    let cut = 0;
    for (const [i, name] of this.#segments.entries()) {
      const path = this.#path(name);
      const bytes = this.#files.read(path);
      const { whole, rest } = readSegment(name, bytes, onRecord);
      this.#sizes.set(name, whole);
      if (rest === "clean") continue;
      // A crash can tear only the end of the log: the next segment is begun when all of the last one is on disk.
      if (rest === "damaged" || this.#hasBytes(this.#segments.slice(i + 1))) {
        const message = `${path} is damaged at byte ${whole}; kairn db repair sets it aside and reports what is lost`;
        throw new DatabaseError("LOG_DAMAGED", message, { path, offset: whole });
      }
      if (!isReadOnly) this.#files.truncate(path, whole);
      cut += bytes.length - whole;
    }
    if (isReadOnly) return cut;
    const last = this.#segments.at(-1);
    if (last === undefined || !isAppendable(last)) this.#startSegment();
    else this.#file = this.#files.openAppend(this.#path(last));
    return cut;
  }

  /**
   * Starts the log of a copy in another folder, with segment 2: as a log without its first segment, it is refused unless
   * the copied engine is there too.
   */
  startLogIn(directory: string): void {
    this.#files.openAppend(`${directory}/${segmentName(2)}`).close();
  }

  /** Resolves when the record is on disk. */
  append(record: LogRecord): Promise<void> {
    return this.#enqueue(record);
  }

  /** Starts a new segment after everything appended so far; resolves with the names of the older ones, all on disk by then. */
  async roll(): Promise<readonly string[]> {
    await this.#enqueue(undefined);
    return this.#segments.slice(0, -1);
  }

  /** Removes segments, oldest first, so that a crash leaves no gap in the log. */
  drop(names: readonly string[]): void {
    for (const name of names) {
      this.#files.remove(this.#path(name));
      this.#sizes.delete(name);
    }
    this.#segments = this.#segments.filter((name) => !names.includes(name));
  }

  /** Writes what is queued, if the disk accepts it, and closes the file. */
  async close(): Promise<void> {
    await this.#running;
    this.#file?.close();
    this.#file = undefined;
  }

  #hasBytes(segments: readonly string[]): boolean {
    return segments.some((name) => this.#files.read(this.#path(name)).length > 0);
  }

  #enqueue(record: LogRecord | undefined): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#tasks.push({ record, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    try {
      while (this.#tasks.length > 0) await this.#step();
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#running = undefined;
    }
  }

  /** Writes all records queued before the next segment as one frame, or starts the segment. No write is in progress here. */
  async #step(): Promise<void> {
    const end = this.#tasks.findIndex((task) => task.record === undefined);
    const group = this.#tasks.slice(0, end < 0 ? undefined : Math.max(end, 1));
    const records = group.flatMap(({ record }) => record ?? []);
    if (records.length === 0) await this.#health.retry("the log", async () => this.#startSegment());
    else await this.#write(encodeFrame(records));
    this.#tasks.splice(0, group.length);
    for (const task of group) task.resolve();
  }

  async #write(bytes: Buffer): Promise<void> {
    const segment = this.#segments.at(-1) as string;
    const size = this.#sizes.get(segment) ?? 0;
    await this.#health.retry(
      "the log",
      () => (this.#file as AppendFile).append(bytes),
      () => this.#reopen(segment, size),
    );
    this.#sizes.set(segment, size + bytes.length);
    this.#writes++;
    this.#writtenBytes += bytes.length;
  }

  /** Reopens the newest segment, truncating what a failed write has left at its end. */
  #reopen(segment: string, size: number): void {
    const path = this.#path(segment);
    this.#file?.close();
    this.#file = undefined;
    if (this.#files.exists(path)) this.#files.truncate(path, size);
    else if (size > 0) throw Object.assign(new Error(`${path} is gone`), { code: "ENOENT" });
    this.#file = this.#files.openAppend(path);
  }

  #startSegment(): void {
    const last = this.#segments.at(-1);
    const name = segmentName(last === undefined ? 1 : segmentNumber(last) + 1);
    const file = this.#files.openAppend(this.#path(name));
    this.#file?.close();
    this.#file = file;
    this.#segments.push(name);
  }

  #fail(cause: Error): void {
    this.#failure = cause;
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task.reject(cause);
  }

  #path(name: string): string {
    return `${this.#directory}/${name}`;
  }
}
