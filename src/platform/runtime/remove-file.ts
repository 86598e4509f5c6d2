import { unlinkSync } from "node:fs";

/** Removes a file if it exists. Node's `rmSync` would load the code that removes folders. @throws the system's error */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
