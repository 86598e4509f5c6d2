import { statSync } from "node:fs";

/** Group and everybody else. */
const OTHERS = 0o077;

/** Whether others than its owner may read or write a file. Windows has no such modes, and a file that is not there none. */
export function isOpenToOthers(path: string): boolean {
  if (process.platform === "win32") return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
}
