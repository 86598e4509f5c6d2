import * as fs from "node:fs";

/** A new file survives a power loss only when its folder was synced too; Windows cannot and need not. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await fs.promises.open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
