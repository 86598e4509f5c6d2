import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { syncDirectoryNow } from "./system/sync-directory.ts";

/**
 * Creates a folder for this user only, and those above it that are missing, durably: what is synced in it later survives a power loss. One that exists is left as it is. Node's own recursive
 * creation runs for ever where a file system refuses with ENOENT, as `/proc` does.
 * @throws Error of the system, with its `code`: `EEXIST` if there is something else than a folder
 */
export function createFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    syncParent(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isFolder(path)) return;
    const parent = dirname(resolve(path));
    if (code !== "ENOENT" || isFolder(parent)) throw error;
    createFolder(parent);
    createFolder(path); // somebody else may have created it meanwhile
  }
}

/** Without this a power loss may take the new folder, with all that was synced in it. */
function syncParent(path: string): void {
  try {
    syncDirectoryNow(dirname(resolve(path)));
  } catch (error) {
    // A folder that may be written to but not read, a file system that syncs no folders, and Node's permission model: nothing to be done.
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "EINVAL", "ERR_ACCESS_DENIED"].includes(code)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
