import { statSync } from "node:fs";

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Whether users other than its owner may read or write a file. False on Windows, which has no such modes, and for missing files. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === "win32") return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
}
