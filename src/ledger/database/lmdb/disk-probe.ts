import { statfsSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { dirname } from "node:path";

/** A disk with less free space than this counts as full. */
const MIN_FREE_BYTES = 1 << 20;
const PROBE = new Uint8Array(4096);

/**
 * Checks that so many bytes have space, and that a page can be written and synced next to a file.
 * @throws Error of the system, with its `code`: `ENOSPC`, `EROFS`, `EIO`
 */
export async function probeDisk(path: string, bytes: number): Promise<void> {
  if (freeBytesBeside(path) < MIN_FREE_BYTES + bytes) throw diskFullError(path);
  const draft = `${path}.probe`;
  try {
    await using file = await open(draft, "w", 0o600);
    await file.write(PROBE);
    await file.datasync();
  } finally {
    await unlink(draft).catch(ignoreMissing);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

/** Whether a disk counts as full. */
export function isDiskFull(path: string): boolean {
  return freeBytesBeside(path) < MIN_FREE_BYTES;
}

/** An error like the system's for a full disk. */
export function diskFullError(path: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${path}`), { code: "ENOSPC" });
}

function freeBytesBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
