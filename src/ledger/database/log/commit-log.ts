import type { AppendFile, Files } from "../../../platform/runtime/files.ts";
import { DatabaseError } from "../errors.ts";
import { encodeFrame, type LogRecord, readFrames } from "./frame.ts";

const SEGMENT = /^log-(\d{10})$/;

/**
 * Whether the names in a folder show a log whose beginning was dropped, as it is once an engine has the records of an ended
 * segment.
 */
export function isLogContinued(names: readonly string[]): boolean {
  const numbers = names.flatMap((name) => SEGMENT.exec(name)?.[1] ?? []).map(Number);
  return numbers.length > 0 && Math.min(...numbers) > 1;
}

/** One thing the log still has to do, in order: write a frame, or end the segment. */
interface Task {
  readonly frame: Buffer | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * An append-only log in segments. One write is under way at any time; every record appended meanwhile shares the next
 * one. A write that fails ends the log: nothing is acknowledged after it.
 */
export class CommitLog {
  readonly #files: Files;
  readonly #directory: string;
  #segments: string[] = [];
  /** Bytes of each segment. */
  readonly #sizes = new Map<string, number>();
  #file: AppendFile | undefined;
  #tasks: Task[] = [];
  #running: Promise<void> | undefined;
  #failure: Error | undefined;
  #writes = 0;
  #writtenBytes = 0;

  constructor(files: Files, directory: string) {
    this.#files = files;
    this.#directory = directory;
  }

  /** Bytes in the segments that are still there. */
  get bytes(): number {
    let bytes = 0;
    for (const size of this.#sizes.values()) bytes += size;
    return bytes;
  }

  /** Writes since the log was opened, each with a sync, and the bytes of all. */
  get written(): { readonly writes: number; readonly bytes: number } {
    return { writes: this.#writes, bytes: this.#writtenBytes };
  }

  /**
   * Hands every whole record to `onRecord` and gets ready to append. A torn end, which was never acknowledged, is cut off.
   * @returns bytes cut off
   * @throws DatabaseError `LOG_DAMAGED` when a segment before the last is not whole
   */
  open(onRecord: (record: LogRecord) => void): number {
    this.#segments = this.#files
      .list(this.#directory)
      .filter((name) => SEGMENT.test(name))
      .sort();
    let cut = 0;
    for (const [i, name] of this.#segments.entries()) {
      const bytes = this.#files.read(this.#path(name));
      const whole = readFrames(bytes, onRecord);
      this.#sizes.set(name, whole);
      if (whole === bytes.length) continue;
      // Only the end of the log can be torn by a crash: a segment is left behind once all of it is on disk.
      if (this.#segments.slice(i + 1).some((later) => this.#files.read(this.#path(later)).length > 0))
        throw new DatabaseError("LOG_DAMAGED", `${name} is damaged at byte ${whole}`, {
          segment: name,
          offset: whole,
        });
      this.#files.truncate(this.#path(name), whole);
      cut += bytes.length - whole;
    }
    const last = this.#segments.at(-1);
    if (last === undefined) this.#startSegment();
    else this.#file = this.#files.openAppend(this.#path(last));
    return cut;
  }

  /** Resolves when the record is on disk. */
  append(record: LogRecord): Promise<void> {
    return this.#enqueue(encodeFrame(record));
  }

  /** Ends the segment behind everything appended so far; resolves with the names of the ended ones once they are on disk. */
  async roll(): Promise<readonly string[]> {
    await this.#enqueue(undefined);
    return this.#segments.slice(0, -1);
  }

  /** Removes ended segments, oldest first, so that what a crash leaves is an unbroken end of the log. */
  drop(names: readonly string[]): void {
    for (const name of names) {
      this.#files.remove(this.#path(name));
      this.#sizes.delete(name);
    }
    this.#segments = this.#segments.filter((name) => !names.includes(name));
  }

  /** Writes what is waiting and closes the file. */
  async close(): Promise<void> {
    await this.#running;
    this.#file?.close();
    this.#file = undefined;
  }

  #enqueue(frame: Buffer | undefined): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#tasks.push({ frame, resolve, reject });
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

  /** Writes the frames before the next end of a segment together, or ends the segment. No write is under way here. */
  async #step(): Promise<void> {
    const end = this.#tasks.findIndex((task) => task.frame === undefined);
    const group = this.#tasks.slice(0, end < 0 ? undefined : Math.max(end, 1));
    const frames = group.flatMap(({ frame }) => frame ?? []);
    if (frames.length === 0) this.#startSegment();
    else await this.#write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
    this.#tasks.splice(0, group.length);
    for (const task of group) task.resolve();
  }

  async #write(bytes: Buffer): Promise<void> {
    await (this.#file as AppendFile).append(bytes);
    const segment = this.#segments.at(-1) as string;
    this.#sizes.set(segment, (this.#sizes.get(segment) ?? 0) + bytes.length);
    this.#writes++;
    this.#writtenBytes += bytes.length;
  }

  #startSegment(): void {
    const last = SEGMENT.exec(this.#segments.at(-1) ?? "")?.[1] ?? "0";
    const name = `log-${String(Number(last) + 1).padStart(10, "0")}`;
    this.#file?.close();
    this.#file = this.#files.openAppend(this.#path(name));
    this.#segments.push(name);
  }

  #fail(cause: Error): void {
    this.#failure = new DatabaseError(
      "DATABASE_FAILED",
      `the log cannot be written: ${cause.message}`,
      {},
      { cause },
    );
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task.reject(this.#failure);
  }

  #path(name: string): string {
    return `${this.#directory}/${name}`;
  }
}
