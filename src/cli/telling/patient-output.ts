/** A stream that lines are written to. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly writableLength?: number;
};

/** Bytes that may wait for whoever reads; more is not written meanwhile. */
const MOST_WAITING = 256 * 1024;

/** Output to a terminal, pipe or file that never makes the process wait: whoever writes asks first whether there is room. */
export class PatientOutput {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
    unblock(stream);
  }

  get columns(): number {
    return this.#stream.columns || Number.POSITIVE_INFINITY;
  }

  /** Whether what was written has gone its way, but for a rest that may wait. */
  get hasRoom(): boolean {
    return (this.#stream.writableLength ?? 0) < MOST_WAITING;
  }

  write(text: string): void {
    this.#stream.write(text);
  }
}

/**
 * Node writes to terminals with blocking calls, so that one that is held (Ctrl-S), or a slow line, would hold the node. Where
 * its handle can be told not to block, it is.
 */
function unblock(stream: OutputStream): void {
  const handle = "_handle" in stream ? stream._handle : undefined;
  if (typeof handle !== "object" || handle === null || !("setBlocking" in handle)) return;
  if (process.platform !== "win32" && typeof handle.setBlocking === "function") handle.setBlocking(false);
}
