import * as fs from "node:fs";
import { RuntimeError } from "./errors.ts";

/** How an untrusted file is read. */
export interface ReadBounds {
  /** Larger files are refused before more is read. */
  readonly maxBytes: number;
  /** Refuses links, pipes, devices and sockets; without it, a pipe is read to its end. */
  readonly regularOnly?: boolean;
}

/** Keys, passphrases, settings: nothing of that kind is larger. */
export const SMALL_FILE_BYTES = 2 ** 20;

/** Missing on Windows, which has no such files. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;

/**
 * Reads a file to its end, up to a limit: neither a large or growing file nor an endless device fills the memory. The
 * kind is checked on the open file, so that it cannot be swapped in between.
 * @throws RuntimeError `FILE_TOO_LARGE`, `FILE_KIND`, or the system's own error
 */
export function readBounded(path: string, { maxBytes, regularOnly = false }: ReadBounds): Buffer {
  const file = fs.openSync(path, regularOnly ? O_RDONLY | O_NOFOLLOW | O_NONBLOCK : O_RDONLY);
  try {
    const { size, isFile } = kindOf(file);
    if (regularOnly && !isFile) throw new RuntimeError("FILE_KIND", `${path} is no regular file`, { path });
    if (size > maxBytes) throw tooLarge(path, maxBytes);
    return readAll(file, path, maxBytes, size);
  } finally {
    fs.closeSync(file);
  }
}

function kindOf(file: number): { readonly size: number; readonly isFile: boolean } {
  const stat = fs.fstatSync(file);
  return { size: stat.isFile() ? stat.size : 0, isFile: stat.isFile() };
}

function readAll(file: number, path: string, maxBytes: number, expected: number): Buffer {
  let bytes = Buffer.alloc(Math.min(expected, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const read = fs.readSync(file, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > maxBytes) throw tooLarge(path, maxBytes);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * length, maxBytes) + 1);
  }
}

function tooLarge(path: string, maxBytes: number): RuntimeError {
  return new RuntimeError("FILE_TOO_LARGE", `${path} is larger than ${maxBytes} bytes`, { path, maxBytes });
}
