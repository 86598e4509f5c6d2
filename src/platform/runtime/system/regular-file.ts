import * as fs from "node:fs";
import { RuntimeError } from "../errors.ts";

/** Absent on Windows. */
const { O_NONBLOCK = 0 }: { readonly O_NONBLOCK?: number } = fs.constants;
/** What the system says of links without end, sockets and pipes without a reader, and folders. */
const KIND_CODES = new Set(["ELOOP", "EMLINK", "ENXIO", "EISDIR"]);

/**
 * Opens a file of the node. A pipe in its place would block the process, a device never end, and a folder or socket fail without a name.
 * @param flags - as for `open`; links are followed without `O_NOFOLLOW`
 * @throws RuntimeError `FILE_KIND` for anything but a regular file
 */
export function openRegular(path: string, flags: number, mode = 0o644): number {
  let file: number;
  try {
    file = fs.openSync(path, flags | O_NONBLOCK, mode);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (KIND_CODES.has(code) || (code === "ENOENT" && !isRegularOrNone(path))) throw notRegular(path);
    throw error;
  }
  if (fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  throw notRegular(path);
}

/** Whether a path is a regular file, or a link to one; also if there is nothing. */
export function isRegularOrNone(path: string): boolean {
  try {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ?? fs.lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (KIND_CODES.has(code)) return false;
    if (code === "ENOTDIR") return true; // its folder is something else: nothing is in it
    throw error;
  }
}

/** The error for something else in a file's place. */
export function notRegular(path: string): RuntimeError {
  const message = `${path} is not a regular file: a link that may not be followed, a pipe, a socket, a device or a folder`;
  return new RuntimeError("FILE_KIND", message, { path });
}
