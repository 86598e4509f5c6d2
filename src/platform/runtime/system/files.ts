import * as fs from "node:fs";
import { dirname } from "node:path";
import { createFolder } from "../create-folder.ts";
import { RuntimeError } from "../errors.ts";
import type { AppendFile, Files } from "../files.ts";
import { removeFile } from "../remove-file.ts";
import { takeLock } from "./lock-socket.ts";
import { openRewritable } from "./rewritable.ts";
import { syncDirectory, syncDirectoryNow } from "./sync-directory.ts";

const { O_APPEND, O_CREAT, O_WRONLY } = fs.constants;
/** Absent on Windows. */
const { O_NOFOLLOW, O_NONBLOCK }: { readonly O_NOFOLLOW?: number; readonly O_NONBLOCK?: number } =
  fs.constants;
/** Writes return once the bytes are on disk: one trip to the thread pool instead of two. Absent on Windows. */
const O_DSYNC: number | undefined = fs.constants.O_DSYNC;

/** The real file system. */
export const systemFiles: Files = {
  createDirectory: (path) => createFolder(path),
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
    syncDirectoryNow(dirname(to));
  },
  remove: (path) => removeFile(path),
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

function openAppend(path: string, readers: "owner" | "everybody" = "everybody"): AppendFile {
  let isNew = !fs.existsSync(path);
  const file = openRegular(path, readers === "owner" ? 0o600 : 0o644);
  return {
    async append(bytes) {
      if (isNew) await syncDirectory(dirname(path));
      isNew = false;
      await new Promise<void>((resolve, reject) => writeAll(file, bytes, resolve, reject));
    },
    close: () => fs.closeSync(file),
  };
}

/** Refuses pipes, which block without a reader, and links, which may lead anywhere. @throws RuntimeError `FILE_KIND` */
function openRegular(path: string, mode: number): number {
  const flags = O_APPEND | O_CREAT | O_WRONLY | (O_DSYNC ?? 0) | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
  let file: number;
  try {
    file = fs.openSync(path, flags, mode);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ELOOP", "EMLINK", "ENXIO", "EISDIR"].includes(code)) throw notAFile(path);
    throw error;
  }
  if (fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  throw notAFile(path);
}

function notAFile(path: string): RuntimeError {
  return new RuntimeError(
    "FILE_KIND",
    `${path} is not a regular file: a link, a pipe, a device or a folder`,
    {
      path,
    },
  );
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
