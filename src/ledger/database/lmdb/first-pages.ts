import { closeSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseError } from "../errors.ts";

/** Address space, not memory or disk: the file grows as rows come. */
export const MAP_BYTES = 2 ** 40;

/** What the first two pages of a file say, one for each of the two newest transactions, little endian: that it is LMDB's. */
const MAGIC_AT = 24;
const MAGIC = 0xbeef_c0de;
/** … the size of a page (4 bytes), */
const PAGE_SIZE_AT = 48;
/** … the first pages of free pages and of rows (8 bytes each), NO_PAGE for none, */
const ROOTS_AT = [88, 136];
/** … before each of these the number of its rows (8 bytes), and further before the levels of the tree (2 bytes), */
const ROWS_BEFORE_ROOT = 8;
const DEPTH_BEFORE_ROOT = 34;
/** … the number of the last page (8 bytes), */
const LAST_PAGE_AT = 144;
/** … and the number of the transaction (8 bytes): the higher one counts. */
const TRANSACTION_AT = 152;
const LEAST_PAGE = 4096;
/** Pages of a file without rows; a batch adds more. */
const NEW_PAGES = 2;
const PAGE_SIZES: ReadonlySet<number> = new Set([LEAST_PAGE, 8192, 16_384, 32_768, 65_536]);
/** A file that lacks more than this was not cut: a page number is damaged. */
const LARGEST_GAP = 2 ** 36;
/** Bytes of a page that are read here. */
const META_SIZE = 160;

/**
 * Pages behind the end of a file end the process when they are read. LMDB leaves out pages at the end that were given back
 * before they were written, so a short file is filled up, not refused: what was cut off reads as damaged pages.
 * @returns its size, and the bytes to fill up; below 0 all to cut off, where a power loss left a part of a new file
 * @throws DatabaseError `DATABASE_FORMAT`
 */
export function lookAt(path: string): { readonly size: number; readonly missing: number } {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0) return { size, missing: 0 };
  const file = openSync(path, "r");
  try {
    const first = readMeta(file, 0);
    const second = first && readMeta(file, first.pageSize);
    const wanted = first && second && (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
    if (wanted === undefined && isUnfinished(file, size, first?.pageSize ?? LEAST_PAGE))
      return { size, missing: -size };
    if (!first || !second || wanted === undefined || wanted > MAP_BYTES || wanted - size > LARGEST_GAP)
      throw new DatabaseError("DATABASE_FORMAT", `${path} is damaged at its first pages or no database`, {
        path,
      });
    return { size, missing: Math.max(0, wanted - size) };
  } finally {
    closeSync(file);
  }
}

/** Whether there is nothing but what LMDB writes into a new file, or zeros where it has not been written. */
function isUnfinished(file: number, size: number, pageSize: number): boolean {
  if (size > NEW_PAGES * pageSize) return false;
  const bytes = Buffer.alloc(size);
  readSync(file, bytes, 0, size, 0);
  for (let at = 0; at < size; at += pageSize) {
    const page = bytes.subarray(at, at + pageSize);
    const isMeta = page.length >= META_SIZE && page.readUInt32LE(MAGIC_AT) === MAGIC;
    if (!isMeta && page.subarray(0, META_SIZE).some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** What a page of the two first ones says. */
interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly trees: readonly Tree[];
}

/** @returns undefined where there is no page that describes a database of LMDB */
function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(META_SIZE);
  readSync(file, page, 0, page.length, at);
  const pageSize = page.readUInt32LE(PAGE_SIZE_AT);
  if (page.readUInt32LE(MAGIC_AT) !== MAGIC || !PAGE_SIZES.has(pageSize)) return undefined;
  return {
    pageSize,
    lastPage: Number(page.readBigUInt64LE(LAST_PAGE_AT)),
    transaction: page.readBigUInt64LE(TRANSACTION_AT),
    trees: ROOTS_AT.map((at) => ({
      root: page.readBigUInt64LE(at),
      rows: page.readBigUInt64LE(at - ROWS_BEFORE_ROOT),
      depth: page.readUInt16LE(at - DEPTH_BEFORE_ROOT),
    })),
  };
}

/** The two pages that say where all others begin, as they are between two batches: each is written in one go. */
export function firstPages(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const { pageSize = LEAST_PAGE } = readMeta(file, 0) ?? {};
    const [once, again] = [Buffer.alloc(2 * pageSize), Buffer.alloc(2 * pageSize)];
    do {
      readSync(file, once, 0, once.length, 0);
      readSync(file, again, 0, again.length, 0);
    } while (!once.equals(again));
    return once;
  } finally {
    closeSync(file);
  }
}

/** A tree of a file. */
interface Tree {
  readonly root: bigint;
  readonly rows: bigint;
  /** Levels from the root to the rows. */
  readonly depth: number;
}

/** What the newer one of the first two pages says. @throws DatabaseError `DATABASE_FORMAT` */
export function newestMeta(
  file: number,
  path: string,
): { readonly pageSize: number; readonly lastPage: number; readonly trees: readonly Tree[] } {
  const first = readMeta(file, 0);
  const second = first && readMeta(file, first.pageSize);
  if (!first || !second)
    throw new DatabaseError("DATABASE_FORMAT", `${path} is damaged at its first pages or no database`, {
      path,
    });
  const { pageSize, lastPage, trees } = second.transaction > first.transaction ? second : first;
  return { pageSize, lastPage, trees };
}
