import * as fs from "node:fs";

/** Syncs a folder, without which a new file in it would not survive a power loss. Windows neither can nor needs to. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await fs.promises.open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The same without yielding. */
export function syncDirectoryNow(path: string): void {
  if (process.platform === "win32") return;
  const directory = fs.openSync(path, "r");
  try {
    fs.fsyncSync(directory);
  } finally {
    fs.closeSync(directory);
  }
}
