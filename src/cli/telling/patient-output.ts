/** A stream that lines are written to. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly writableLength?: number;
};

/** Bytes that may be buffered for the reader; while that many wait, nothing more is written. */
const MOST_WAITING = 256 * 1024;

/** Output to a terminal, pipe or file that never blocks the process: writers first ask whether there is room. */
export class PatientOutput {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
    unblock(stream);
  }

  get columns(): number {
    return this.#stream.columns || Number.POSITIVE_INFINITY;
  }

  /** Whether there is room: all but a bounded rest has been written out. */
  get hasRoom(): boolean {
    return (this.#stream.writableLength ?? 0) < MOST_WAITING;
  }

  write(text: string): void {
    this.#stream.write(text);
  }
}

/**
 * Node writes to terminals with blocking calls, so that a paused one (Ctrl-S), or a slow line, would block the node.
 * Where the handle supports it, it is switched to non-blocking writes.
 */
function unblock(stream: OutputStream): void {
  const handle = "_handle" in stream ? stream._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("setBlocking" in handle)) return;
  if (process.platform !== "win32" && typeof handle.setBlocking === "function") handle.setBlocking(false);
}
