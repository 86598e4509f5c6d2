import { statfsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { BatchSize } from "../store.ts";

/** A disk with less free space than this counts as full. */
const MIN_FREE_BYTES = 1 << 20;
/** Upper bound for what a row dirties apart from its value: a page. */
const BYTES_PER_ROW = 4096;
const PROBE = new Uint8Array(4096);

/**
 * Checks that a batch has space, and that a page can be written and synced next to a file. LMDB must only be given what
 * the disk will accept: on a failed write it formats its error message into too short a buffer, which may crash the process.
 * @throws Error of the system, with its `code`: `ENOSPC`, `EROFS`, `EIO`
 */
export async function probeDisk(path: string, { rows, bytes }: BatchSize): Promise<void> {
  if (freeBytesBeside(path) < MIN_FREE_BYTES + rows * BYTES_PER_ROW + bytes) throw diskFullError(path);
  const draft = `${path}.probe`;
  try {
    await using file = await open(draft, "w", 0o600);
    await file.write(PROBE);
    await file.datasync();
  } finally {
    await rm(draft, { force: true });
  }
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
