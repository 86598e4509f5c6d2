import { statfsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { BatchSize } from "../store.ts";

/** A disk with less room than this counts as full. */
const LEAST_ROOM = 1 << 20;
/** What a row dirties at most, but for its value: a page. */
const BYTES_PER_ROW = 4096;
const PROBE = new Uint8Array(4096);

/**
 * Writes and syncs a page beside a file, and looks whether a batch would find room. LMDB is only handed what a disk takes: at a
 * failed write it describes the failure in memory that is too short for it, which may end the process.
 * @throws Error of the system, with its `code`: `ENOSPC`, `EROFS`, `EIO`
 */
export async function probeDisk(path: string, { rows, bytes }: BatchSize): Promise<void> {
  if (roomBeside(path) < LEAST_ROOM + rows * BYTES_PER_ROW + bytes) throw withoutRoom(path);
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
export function isWithoutRoom(path: string): boolean {
  return roomBeside(path) < LEAST_ROOM;
}

/** An error as the system gives it for a full disk. */
export function withoutRoom(path: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left on device, ${path}`), { code: "ENOSPC" });
}

function roomBeside(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
