import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a folder for this user only, and those above it that are missing. One that exists is left as it is. Node's own recursive
 * creation runs for ever where a file system refuses with ENOENT, as `/proc` does.
 * @throws Error of the system, with its `code`: `EEXIST` if there is something else than a folder
 */
export function createFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (isFolder(path)) return;
    const parent = dirname(resolve(path));
    if (code !== "ENOENT" || isFolder(parent)) throw error;
    createFolder(parent);
    createFolder(path); // somebody else may have created it meanwhile
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
