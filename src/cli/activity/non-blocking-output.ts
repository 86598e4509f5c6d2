/** A stream that lines are written to. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly writableLength?: number;
};

/** Bytes buffered for the reader beyond which nothing more is written. */
const MAX_WAITING = 256 * 1024;

/** Output to a terminal, pipe or file that never blocks the process: writers first ask whether there is room. */
export class NonBlockingOutput {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
    unblock(stream);
  }

  get columns(): number {
    return this.#stream.columns || Number.POSITIVE_INFINITY;
  }

  /** Whether there is room: all but a bounded rest has been flushed. */
  get hasRoom(): boolean {
    return (this.#stream.writableLength ?? 0) < MAX_WAITING;
  }

  write(text: string): void {
    this.#stream.write(text);
  }
}

/**
 * Node writes to terminals synchronously, so that a paused terminal (Ctrl-S), or a slow line, would block the node.
 * If the handle supports it, it is switched to non-blocking writes.
 */
function unblock(stream: OutputStream): void {
  const handle = "_handle" in stream ? stream._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("setBlocking" in handle)) return;
  if (process.platform !== "win32" && typeof handle.setBlocking === "function") handle.setBlocking(false);
}
