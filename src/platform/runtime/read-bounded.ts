import { isUtf8 } from "node:buffer";
import * as fs from "node:fs";
import { RuntimeError } from "./errors.ts";

/** How an untrusted file is read. */
export interface ReadBounds {
  /** Larger files are refused before more is read. */
  readonly maxBytes: number;
  /** Refuses links, pipes, devices and sockets; without it, a pipe is read to its end. */
  readonly regularOnly?: boolean;
  /** How long a silent pipe may hold up the process; by default a minute. */
  readonly waitMs?: number;
}

/** Size limit for keys, passphrases and settings. */
export const SMALL_FILE_BYTES = 2 ** 20;

/** A process substitution, `<(…)`, names a pipe that another program fills, possibly after prompting a person. */
const MAX_WAIT_MS = 60_000;
/**
 * How long a pipe may have no writer, in milliseconds: one that no program has opened was forgotten, or put in a file's place.
 */
export const WRITER_WAIT_MS = 1_000;
const POLL_MS = 5;

/** How long a pipe may hold up a running node, in milliseconds: for files that are reread. */
export const SHORT_WAIT_MS = 200;

/** Absent on Windows. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/**
 * Reads a file to its end, up to a limit: neither a large or growing file nor an endless device exhausts memory, and no pipe blocks
 * the process for longer than `waitMs`, or a second if nobody writes to it. The kind is checked on the open descriptor, so that the file cannot be swapped in between.
 * @throws RuntimeError `FILE_TOO_LARGE`, `FILE_KIND`, `FILE_SILENT`, or the system's own error
 */
export function readBounded(
  path: string,
  { maxBytes, regularOnly = false, waitMs = MAX_WAIT_MS }: ReadBounds,
): Buffer {
  const file = fs.openSync(path, O_RDONLY | O_NONBLOCK | (regularOnly ? O_NOFOLLOW : 0));
  try {
    const { size, isFile, isFolder, isPipe } = kindOf(file);
    if (regularOnly && !isFile)
      throw new RuntimeError("FILE_KIND", `${path} is not a regular file`, { path });
    if (isFolder) throw folderError(path);
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    return readAll(file, { path, maxBytes, expected: size, waitMs: isPipe ? waitMs : undefined });
  } finally {
    fs.closeSync(file);
  }
}

/**
 * The text of a file in UTF-8. In any other encoding characters would be replaced, different ones by the same one: a key would be
 * encrypted with another passphrase than the file's.
 * @throws RuntimeError `FILE_TEXT`; as `readBounded`
 */
export function readBoundedText(path: string, bounds: ReadBounds): string {
  const bytes = readBounded(path, bounds);
  if (!isUtf8(bytes)) throw new RuntimeError("FILE_TEXT", `${path} is not a text in UTF-8`, { path });
  return bytes.toString("utf8");
}

function kindOf(file: number): {
  readonly size: number;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly isPipe: boolean;
} {
  const stat = fs.fstatSync(file);
  return {
    ...{ size: stat.isFile() ? stat.size : 0, isFile: stat.isFile() },
    ...{ isFolder: stat.isDirectory(), isPipe: stat.isFIFO() },
  };
}

/** The system's own `EISDIR` error, with the path, which the system names on `open` but not on `read`. */
export function folderError(path: string): Error {
  return Object.assign(new Error(`EISDIR: ${path} is a folder`), { code: "EISDIR", path });
}

interface OpenFile {
  readonly path: string;
  readonly maxBytes: number;
  readonly expected: number;
  /** Of a pipe. */
  readonly waitMs: number | undefined;
}

function readAll(file: number, { path, maxBytes, expected, waitMs }: OpenFile): Buffer {
  const beganMs = performance.now();
  let bytes = Buffer.alloc(Math.min(expected, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const read = readSome(file, bytes.subarray(length));
    const hasNoWriter = read === 0 && length === 0 && waitMs !== undefined;
    if (read === undefined || hasNoWriter) {
      const mostMs = Math.min(waitMs ?? 0, hasNoWriter ? WRITER_WAIT_MS : Infinity);
      if (performance.now() - beganMs >= mostMs) throw hasNoWriter ? unwritten(path) : silent(path);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
      continue;
    }
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, maxBytes) + 1);
  }
}

/**
 * Reads what an open file or pipe has now.
 * @param file - a pipe must not be blocking
 * @returns bytes read, 0 at the end or if no program has a pipe's other end open; undefined if there is nothing to read yet
 */
export function readSome(file: number, into: Uint8Array): number | undefined {
  try {
    return fs.readSync(file, into, 0, into.length, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

/** The error for a pipe that no program has opened. */
export function unwritten(path: string): RuntimeError {
  return new RuntimeError("FILE_SILENT", `${path} is not a regular file but a pipe that nobody writes to`, {
    path,
  });
}

function silent(path: string): RuntimeError {
  return new RuntimeError("FILE_SILENT", `nothing more comes from ${path}, which is not a regular file`, {
    path,
  });
}

function tooLarge(path: string, maxBytes: number): RuntimeError {
  return new RuntimeError("FILE_TOO_LARGE", `${path} is larger than ${maxBytes} bytes`, { path, maxBytes });
}
