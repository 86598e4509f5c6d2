import type { AppendFile, Files } from "../../../platform/runtime/files.ts";
import type { DiskHealth } from "../disk-health.ts";
import { DatabaseError } from "../errors.ts";
import { Acknowledged } from "./acknowledged.ts";
import { encodeFrame, encodeSegmentStart, type LogRecord, SEGMENT_START } from "./frame.ts";
import {
  isAppendable,
  isBegun,
  namesIn,
  readSegment,
  type SegmentRange,
  segmentName,
  segmentNames,
  segmentNumber,
} from "./segment.ts";

/**
 * Whether the file names of a folder show a log whose first segments were dropped, as happens once their records have
 * been flushed to the engine.
 */
export function isLogContinued(names: readonly string[]): boolean {
  const [oldest] = segmentNames(names);
  return oldest !== undefined && segmentNumber(oldest) > 1;
}

/** How to open a log. */
export interface LogOpening {
  /** A torn write is ignored, and nothing can be appended. */
  readonly isReadOnly?: boolean;
  /** Segments that `prepare` returned and nobody dropped: without one of them, or its beginning, the log is damaged. */
  readonly required?: SegmentRange | undefined;
}

/** A write that was cut short, at the end of a log. */
export interface TornEnd {
  readonly path: string;
  readonly bytes: number;
}

/** A queued task of the log: write a record, begin an empty segment, or go on in a new one. */
interface Task {
  readonly record: LogRecord | "begin" | "roll";
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
  readonly #acknowledged: Acknowledged;
  #segments: string[] = [];
  /** Bytes of each segment. */
  readonly #sizes = new Map<string, number>();
  /** Segments that begin with their number, made in advance. */
  readonly #begun = new Set<string>();
  #file: AppendFile | undefined;
  /** The next segment. */
  #spare: { readonly name: string; readonly file: AppendFile } | undefined;
  #tasks: Task[] = [];
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #writes = 0;
  #writtenBytes = 0;

  constructor(files: Files, directory: string, health: DiskHealth) {
    this.#files = files;
    this.#directory = directory;
    this.#health = health;
    this.#acknowledged = new Acknowledged(files, directory);
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
   * Passes every whole record, with the path of its segment, to `onRecord` and prepares for appending. A torn last write,
   * never acknowledged, is truncated.
   * @returns the torn write
   * @throws DatabaseError `LOG_DAMAGED` if anything but the last write is not whole, or a required segment is not there
   */
  open(
    onRecord: (record: LogRecord, path: string) => void,
    { isReadOnly = false, required }: LogOpening = {},
  ): TornEnd | undefined {
    this.#segments = segmentNames(this.#files.list(this.#directory));
    const needed = namesIn(required);
    const missing = needed.find((name) => !this.#segments.includes(name));
    if (missing !== undefined) throw this.#lost(missing, "is missing");
    let torn: TornEnd | undefined;
    for (const [i, name] of this.#segments.entries()) {
      const path = this.#path(name);
      const bytes = this.#files.read(path);
      if (isBegun(name, bytes)) this.#begun.add(name);
      else if (needed.includes(name)) throw this.#lost(name, "has lost its beginning");
      const { whole, rest } = readSegment(name, bytes, (record) => onRecord(record, path));
      this.#sizes.set(name, whole);
      if (rest === "clean") continue;
      // A crash can tear only the end of the log: the next segment gets its first record when all of the last one is on disk.
      if (rest === "damaged" || this.#haveRecords(this.#segments.slice(i + 1))) {
        const message = `${path} is damaged at byte ${whole}; kairn db repair sets it aside and reports what is lost`;
        throw new DatabaseError("LOG_DAMAGED", message, { path, offset: whole });
      }
      if (!isReadOnly) this.#files.truncate(path, whole);
      if (whole > 0 || bytes.length > SEGMENT_START) torn = { path, bytes: bytes.length - whole };
    }
    if (!isReadOnly) this.#resume(required);
    return torn;
  }

  /** Continues in the last segment with records, or the first required one, if the next is its spare; otherwise in the last. */
  #resume(required: SegmentRange | undefined): void {
    const first = required ? this.#segments.indexOf(segmentName(required.from)) : -1;
    const filled = this.#segments.findLastIndex((name) => this.#hasRecords(name));
    const current = Math.max(first, filled);
    const [spare, ...more] = this.#segments.slice(current + 1);
    if (current >= 0 && spare !== undefined && more.length === 0 && this.#begun.has(spare)) {
      this.#spare = { name: spare, file: this.#files.openAppend(this.#path(spare)) };
      this.#segments.pop();
    }
    const last = this.#segments.at(-1);
    if (last === undefined || !isAppendable(last)) this.#startSegment();
    else this.#file = this.#files.openAppend(this.#path(last));
  }

  /**
   * Makes the next segment, durably, with its number in it. A caller that notes the returned range elsewhere will notice the
   * loss of any of these segments: whatever is recorded next goes to one of them.
   * @returns the newest consecutive segments that begin with their number, the last of them empty
   */
  async prepare(): Promise<SegmentRange> {
    if (this.#sizeOf(this.#current) === 0) await this.#enqueue("begin");
    this.#spare ??= await this.#makeSpare();
    const to = segmentNumber(this.#spare.name);
    let from = to;
    while (this.#begun.has(segmentName(from - 1)) && this.#segments.includes(segmentName(from - 1))) from--;
    return { from, to };
  }

  /**
   * Makes the segments of a range for a copy of the engine that notes it; their names are there when this returns. Without the
   * engine, the copy is refused as a log without its first segment.
   */
  async startLogIn(directory: string, range: SegmentRange): Promise<void> {
    const files = namesIn(range).map((name) => this.#files.openAppend(`${directory}/${name}`));
    for (const [i, file] of files.entries()) await file.append(encodeSegmentStart(range.from + i));
    for (const file of files) file.close();
  }

  /** Sequence number of the newest record known to have been acknowledged; 0 if none is known. */
  acknowledged(): number {
    return this.#acknowledged.read();
  }

  /** Resolves when the record is on disk. */
  append(record: LogRecord): Promise<void> {
    return this.#enqueue(record);
  }

  /** Starts a new segment after everything appended so far; resolves with the names of the older ones, all on disk by then. */
  async roll(): Promise<readonly string[]> {
    await this.#enqueue("roll");
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
    this.#spare?.file.close();
    this.#acknowledged.close();
    this.#file = undefined;
    this.#spare = undefined;
  }

  /** Path of the newest segment with records; of the newest one if none has any. */
  get newest(): string {
    return this.#path(this.#segments.findLast((name) => this.#hasRecords(name)) ?? this.#current);
  }

  get #current(): string {
    return this.#segments.at(-1) as string;
  }

  #sizeOf(name: string): number {
    return this.#sizes.get(name) ?? 0;
  }

  #hasRecords(name: string): boolean {
    return this.#sizeOf(name) > (this.#begun.has(name) ? SEGMENT_START : 0);
  }

  /** Whether anything was recorded in segments; of one that was being made, there are at most the bytes of its beginning. */
  #haveRecords(segments: readonly string[]): boolean {
    return segments.some((name) => {
      const bytes = this.#files.read(this.#path(name));
      let records = 0;
      readSegment(name, bytes, () => records++);
      return records > 0 || bytes.length > SEGMENT_START;
    });
  }

  #lost(name: string, what: string): DatabaseError {
    const path = this.#path(name);
    const message = `${path} ${what}, with what was recorded in it; kairn db repair reports what is left`;
    return new DatabaseError("LOG_DAMAGED", message, { path, offset: 0 });
  }

  #enqueue(record: Task["record"]): Promise<void> {
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
    const isRecord = ({ record }: Task) => typeof record === "object";
    const end = this.#tasks.findIndex((task) => !isRecord(task));
    const group = this.#tasks.slice(0, end < 0 ? undefined : Math.max(end, 1));
    const records = group.flatMap(({ record }) => (typeof record === "object" ? record : []));
    const last = records.at(-1);
    if (last !== undefined) {
      await this.#write(encodeFrame(records));
      this.#acknowledged.note(last.sequence);
    } else if (group[0]?.record === "begin") await this.#begin();
    else await this.#health.retry("the log", async () => this.#startSegment());
    this.#tasks.splice(0, group.length);
    for (const task of group) task.resolve();
  }

  async #begin(): Promise<void> {
    const name = this.#current;
    if (this.#sizeOf(name) > 0) return;
    await this.#write(encodeSegmentStart(segmentNumber(name)));
    this.#begun.add(name);
  }

  async #makeSpare(): Promise<{ readonly name: string; readonly file: AppendFile }> {
    const number = segmentNumber(this.#current) + 1;
    const name = segmentName(number);
    let file: AppendFile | undefined;
    await this.#health.retry("the next file of the log", async () => {
      file?.close();
      file = undefined;
      this.#files.remove(this.#path(name));
      file = this.#files.openAppend(this.#path(name));
      await file.append(encodeSegmentStart(number));
    });
    this.#begun.add(name);
    // `retry` returns only once the function has run to its end, which the compiler cannot know.
    return { name, file: file as unknown as AppendFile };
  }

  async #write(bytes: Buffer): Promise<void> {
    const segment = this.#current;
    const size = this.#sizeOf(segment);
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
    const name = this.#spare?.name ?? segmentName(last === undefined ? 1 : segmentNumber(last) + 1);
    const file = this.#spare?.file ?? this.#files.openAppend(this.#path(name));
    if (this.#spare) this.#sizes.set(name, SEGMENT_START);
    this.#spare = undefined;
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
