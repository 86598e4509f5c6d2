import * as fs from "node:fs";
import { dirname } from "node:path";
import { createFolder } from "../create-folder.ts";
import type { AppendFile, Files } from "../files.ts";
import { removeFile } from "../remove-file.ts";
import { takeLock } from "./lock-socket.ts";
import { isRegularOrNone, notRegular, openRegular } from "./regular-file.ts";
import { openRewritable } from "./rewritable.ts";
import { syncDirectory, syncDirectoryNow } from "./sync-directory.ts";

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;
/** Absent on Windows. */
const { O_NOFOLLOW = 0 }: { readonly O_NOFOLLOW?: number } = fs.constants;
/** Writes return once the bytes are on disk: one trip to the thread pool instead of two. Absent on Windows. */
const O_DSYNC: number | undefined = fs.constants.O_DSYNC;

/** The real file system. */
export const systemFiles: Files = {
  createDirectory: (path) => createFolder(path),
  list: (directory) => fs.readdirSync(directory),
  read(path) {
    const file = openRegular(path, O_RDONLY);
    try {
      const { buffer, byteOffset, length } = fs.readFileSync(file);
      return new Uint8Array(buffer, byteOffset, length);
    } finally {
      fs.closeSync(file);
    }
  },
  truncate(path, length) {
    const file = openRegular(path, O_RDWR);
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
  // a link that leads nowhere is there, too
  exists: (path) => fs.existsSync(path) || !isRegularOrNone(path),
  isRegularOrNone,
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
  for (const each of [path, draft]) if (!isRegularOrNone(each)) throw notRegular(each);
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
  // Links are not followed: they may lead anywhere.
  const flags = O_APPEND | O_CREAT | O_WRONLY | (O_DSYNC ?? 0) | O_NOFOLLOW;
  const file = openRegular(path, flags, readers === "owner" ? 0o600 : 0o644);
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
