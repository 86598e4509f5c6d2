import { closeSync, openSync, readSync, statSync } from "node:fs";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
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
const NO_PAGE = MAX_UINT64;
/** … the number of the last page (8 bytes), */
const LAST_PAGE_AT = 144;
/** … and the number of the transaction (8 bytes): the higher one counts. */
const TRANSACTION_AT = 152;
/** Each page begins with its number (8 bytes); what it is for follows (2 bytes): keys to pages, or rows. */
const KIND_AT = 18;
const IS_TREE = 3;
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
    checkRoots(file, path, second.transaction > first.transaction ? second : first);
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
  readonly roots: readonly bigint[];
}

/** Checks the first page of each tree, which LMDB reads before anything can be refused. @throws DatabaseError `DATABASE_DAMAGED` */
function checkRoots(file: number, path: string, { roots, pageSize, lastPage }: Meta): void {
  for (const root of roots) {
    if (root === NO_PAGE) continue;
    const page = Buffer.alloc(KIND_AT + 2);
    if (root <= lastPage) readSync(file, page, 0, page.length, Number(root) * pageSize);
    if (page.readBigUInt64LE(0) === root && (page.readUInt16LE(KIND_AT) & IS_TREE) !== 0) continue;
    throw new DatabaseError("DATABASE_DAMAGED", `${path} is damaged at page ${root}`, { path, page: root });
  }
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
    roots: ROOTS_AT.map((root) => page.readBigUInt64LE(root)),
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
