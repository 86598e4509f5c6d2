import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectoryNow } from "./system/sync-directory.ts";

/**
 * Writes a file that must not exist yet, durably: whole or not at all, also after a power loss.
 * @param mode - permissions, as for `open`
 * @throws Error of the system, with its `code`: `EEXIST` if there is something of that name
 */
export function writeNewFile(path: string, text: string, mode = 0o644): void {
  if (existsSync(path))
    throw Object.assign(new Error(`EEXIST: ${path} exists already`), { code: "EEXIST", path });
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  try {
    const file = openSync(draft, "wx", mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectoryNow(dirname(path));
}
