import { constants, createReadStream, openSync, type ReadStream, statSync } from "node:fs";
import { Socket } from "node:net";
import {
  folderError,
  readBounded,
  readBoundedText,
  readSome,
  SHORT_WAIT_MS,
  SMALL_FILE_BYTES,
  unwritten,
  WRITER_WAIT_MS,
} from "../runtime/read-bounded.ts";

/** The latter is absent on Windows. */
const { O_RDONLY, O_NONBLOCK = 0 } = constants;

/** Bytes read from a long file at a time. */
const READ_AHEAD = 1 << 20;

/** Maximum size of files written by programs: a genesis, a script, a block in hex. */
export const LARGE_FILE = 64 << 20;

/** The bytes of a file of at most `most` bytes. @throws RuntimeError `FILE_TOO_LARGE`; the file system's error */
export function readFileWithin(path: string, most: number): Uint8Array {
  return readBounded(path, { maxBytes: most });
}

/** What some editors put before a text. */
const BYTE_ORDER_MARK = "\ufeff";

/**
 * The text of a UTF-8 file, without a byte order mark.
 * @param most - bytes; the default suits files written by hand
 * @throws RuntimeError `FILE_TOO_LARGE`; the file system's error
 */
export function readTextWithin(path: string, most: number = SMALL_FILE_BYTES): string {
  const text = readBoundedText(path, { maxBytes: most });
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** The text of a small file in UTF-8 that is reread while a node runs. @throws as `readTextWithin` */
export function readTextAgain(path: string): string {
  return readBoundedText(path, { maxBytes: SMALL_FILE_BYTES, waitMs: SHORT_WAIT_MS });
}

/** Runs a reader of a file's content. @throws its errors, with the path in their message */
export function naming<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && !error.message.includes(path)) error.message = `${path}: ${error.message}`;
    throw error;
  }
}

/**
 * A stream over a file of any length, or what a program writes to a pipe. It ends with `FILE_SILENT` if nobody opens the pipe.
 * @throws Error `EISDIR`
 */
export function openPieces(path: string): ReadStream | Socket {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (kind?.isDirectory()) throw folderError(path);
  return kind?.isFIFO() ? openPipe(path) : createReadStream(path, { highWaterMark: READ_AHEAD });
}

/** Opened as a file, a pipe without a writer holds a thread of the process for ever, which then cannot even exit. */
function openPipe(path: string): Socket {
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  const stream = new Socket({ fd: file, readable: true, writable: false });
  const late = setTimeout(() => {
    // Once destroyed, its descriptor is closed, or another file's.
    if (stream.bytesRead > 0 || stream.destroyed) return;
    const first = Buffer.alloc(1);
    try {
      const read = readSome(file, first);
      if (read === 0) stream.destroy(unwritten(path));
      // After a long turn the timer may be due before what was written meanwhile is read.
      if (read === 1) stream.unshift(first);
    } catch (error) {
      stream.destroy(error as Error);
    }
  }, WRITER_WAIT_MS);
  return stream
    .once("data", () => clearTimeout(late))
    .once("close", () => clearTimeout(late))
    .pause();
}
