import * as fs from "node:fs";
import { dirname } from "node:path";
import type { AppendFile, Files } from "./files.ts";
import { lockFile } from "./lock-file.ts";

const { O_APPEND, O_CREAT, O_WRONLY } = fs.constants;
/** Writes return once the bytes are on disk: one trip to the thread pool instead of two. Missing on Windows. */
const O_DSYNC: number | undefined = fs.constants.O_DSYNC;

/** The real file system. */
export const systemFiles: Files = {
  createDirectory: (path) => void fs.mkdirSync(path, { recursive: true }),
  list: (directory) => fs.readdirSync(directory),
  read: (path) => fs.readFileSync(path),
  truncate(path, length) {
    const file = fs.openSync(path, "r+");
    try {
      fs.ftruncateSync(file, length);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  },
  remove: (path) => fs.rmSync(path, { force: true }),
  openAppend,
  lock: lockFile,
};

function openAppend(path: string): AppendFile {
  const file = fs.openSync(path, O_APPEND | O_CREAT | O_WRONLY | (O_DSYNC ?? 0), 0o644);
  syncDirectory(dirname(path));
  return {
    append: (bytes) => new Promise((resolve, reject) => writeAll(file, bytes, resolve, reject)),
    close: () => fs.closeSync(file),
  };
}

function writeAll(
  file: number,
  bytes: Uint8Array,
  resolve: () => void,
  reject: (error: Error) => void,
): void {
  fs.write(file, bytes, 0, bytes.length, null, (error, written) => {
    if (error) return reject(error);
    if (written < bytes.length) return writeAll(file, bytes.subarray(written), resolve, reject);
    if (O_DSYNC !== undefined) return resolve();
    fs.fdatasync(file, (failure) => (failure ? reject(failure) : resolve()));
  });
}

/** A new file survives a power loss only when its folder was synced too; Windows cannot and need not. */
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const directory = fs.openSync(path, "r");
  try {
    fs.fsyncSync(directory);
  } finally {
    fs.closeSync(directory);
  }
}
