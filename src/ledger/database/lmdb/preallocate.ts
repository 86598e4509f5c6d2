import { open } from "node:fs/promises";
import type { BatchSize } from "../store.ts";

/** Page counts of a B-tree, as LMDB reports them. */
interface TreePages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** Statistics of a file, as LMDB reports them. */
export interface FilePages extends TreePages {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  /** The tree of free pages. */
  readonly free: TreePages;
}

/** Overhead of a row in bytes: its head and its offset in the page, its checksum, the number of its table. */
const ROW_OVERHEAD = 16;
/** Ratio of new pages to new bytes: splits leave pages half full, and branch pages point to them. */
const NEW_PAGE_FACTOR = 2.5;
/** Bytes of a page number in the list of free pages. */
const PAGE_NUMBER_BYTES = 8;
/** Pages that every batch may take in addition. */
const SPARE_PAGES = 16;
/** Bytes written at a time. */
const STEP = 1 << 20;

/**
 * Upper bound of the file's size after a batch: LMDB writes each page that it changes to another place, possibly none of
 * them to a free page.
 */
export function sizeAfter({ rows, bytes }: BatchSize, file: FilePages): number {
  const { pageSize, treeLeafPageCount, treeBranchPageCount, free } = file;
  const changed = Math.min(rows, treeLeafPageCount) + treeBranchPageCount;
  const added = Math.ceil((NEW_PAGE_FACTOR * (bytes + rows * ROW_OVERHEAD)) / pageSize);
  const lists = free.treeBranchPageCount + free.treeLeafPageCount + free.overflowPages;
  const listed = Math.ceil(((changed + lists) * PAGE_NUMBER_BYTES * NEW_PAGE_FACTOR) / pageSize);
  return (file.lastPageNumber + 1 + changed + added + lists + listed + SPARE_PAGES) * pageSize;
}

/**
 * Extends a file with zeros, so that the disk has allocated space for whatever is written there later. On failure, the file
 * keeps its size.
 * @throws Error of the system: `ENOSPC`, `EDQUOT`, `EFBIG`, `EIO`, `EROFS`
 */
export async function preallocate(path: string, size: number): Promise<void> {
  await using file = await open(path, "r+");
  const before = (await file.stat()).size;
  const zeros = new Uint8Array(Math.max(0, Math.min(STEP, size - before)));
  try {
    for (let at = before; at < size; ) {
      const { bytesWritten } = await file.write(zeros, 0, Math.min(zeros.length, size - at), at);
      at += bytesWritten;
    }
  } catch (error) {
    await file.truncate(before).catch(() => {}); // otherwise zeros remain, which do no harm
    throw error;
  }
}
