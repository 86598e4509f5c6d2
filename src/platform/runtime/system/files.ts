import * as fs from "node:fs";
import { dirname } from "node:path";
import type { AppendFile, Files } from "../files.ts";
import { takeLock } from "./lock-socket.ts";
import { openRewritable } from "./rewritable.ts";
import { syncDirectory } from "./sync-directory.ts";

const { O_APPEND, O_CREAT, O_WRONLY } = fs.constants;
/** Writes return once the bytes are on disk: one trip to the thread pool instead of two. Missing on Windows. */
const O_DSYNC: number | undefined = fs.constants.O_DSYNC;

/** The real file system. */
export const systemFiles: Files = {
  createDirectory: (path) => void fs.mkdirSync(path, { recursive: true, mode: 0o700 }),
  list: (directory) => fs.readdirSync(directory),
  read(path) {
    const { buffer, byteOffset, length } = fs.readFileSync(path);
    return new Uint8Array(buffer, byteOffset, length);
  },
  truncate(path, length) {
    const file = fs.openSync(path, "r+");
    try {
      fs.ftruncateSync(file, length);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  },
  rename(from, to) {
    fs.renameSync(from, to);
    if (process.platform === "win32") return;
    const directory = fs.openSync(dirname(to), "r");
    try {
      fs.fsyncSync(directory);
    } finally {
      fs.closeSync(directory);
    }
  },
  remove: (path) => fs.rmSync(path, { force: true }),
  exists: (path) => fs.existsSync(path),
  isReadOnly,
  replace,
  openAppend,
  openRewritable,
  lock: takeLock,
};

function isReadOnly(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.new`;
  const file = await fs.promises.open(draft, "w", 0o644);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
  await fs.promises.rename(draft, path);
  await syncDirectory(dirname(path));
}

function openAppend(path: string): AppendFile {
  let isNew = !fs.existsSync(path);
  const file = fs.openSync(path, O_APPEND | O_CREAT | O_WRONLY | (O_DSYNC ?? 0), 0o644);
  return {
    async append(bytes) {
      if (isNew) await syncDirectory(dirname(path));
      isNew = false;
      await new Promise<void>((resolve, reject) => writeAll(file, bytes, resolve, reject));
    },
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
