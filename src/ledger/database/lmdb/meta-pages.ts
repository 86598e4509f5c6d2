import { closeSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseError } from "../errors.ts";

/** Size of the memory map: address space, not memory or disk; the file grows as rows are added. */
export const MAP_BYTES = 2 ** 40;

/**
 * The first two pages of a file are meta pages, one for each of the two newest transactions. Their fields, little-endian:
 * the magic number (4 bytes),
 */
const MAGIC_AT = 24;
const MAGIC = 0xbeef_c0de;
/** … the page size (4 bytes), */
const PAGE_SIZE_AT = 48;
/** … the root pages of the free list and of the rows (8 bytes each), */
const ROOTS_AT = [88, 136];
/** … before each of these its number of entries (8 bytes), and before that its tree depth (2 bytes), */
const ROWS_BEFORE_ROOT = 8;
const DEPTH_BEFORE_ROOT = 34;
/** … the number of the last page (8 bytes), */
const LAST_PAGE_AT = 144;
/** … and the transaction number (8 bytes): the page with the higher one is valid. */
const TRANSACTION_AT = 152;
const MIN_PAGE_SIZE = 4096;
/** Pages of an empty file. */
const NEW_PAGES = 2;
const PAGE_SIZES: ReadonlySet<number> = new Set([MIN_PAGE_SIZE, 8192, 16_384, 32_768, 65_536]);
/** A file that lacks more than this was not truncated: its page number is damaged. */
const MAX_MISSING_BYTES = 2 ** 36;
/** Bytes of a meta page that are read here. */
const META_SIZE = 160;

/**
 * Compares the size of a file with its meta pages, as reading a page beyond the end of the file crashes the process. LMDB
 * does not write trailing pages freed within the same transaction, so a short file is to be extended, not refused; pages
 * truly cut off then read as damaged.
 * @returns the file's size and the bytes to extend it by; negative to empty a new file left unfinished by a power loss
 * @throws DatabaseError `DATABASE_FORMAT`
 */
export function inspectFile(path: string): { readonly size: number; readonly missing: number } {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0) return { size, missing: 0 };
  const file = openSync(path, "r");
  try {
    const first = readMeta(file, 0);
    const second = first && readMeta(file, first.pageSize);
    const wanted = first && second && bytesOf(first, second);
    if (wanted === undefined && isUnfinished(file, size, first?.pageSize ?? MIN_PAGE_SIZE))
      return { size, missing: -size };
    if (!first || !second || wanted === undefined || wanted > MAP_BYTES || wanted - size > MAX_MISSING_BYTES)
      throw new DatabaseError("DATABASE_FORMAT", `${path} has damaged meta pages or is not a database`, {
        path,
      });
    return { size, missing: Math.max(0, wanted - size) };
  } finally {
    closeSync(file);
  }
}

/** Whether a file has nothing but the pages LMDB writes into a new one, or zeros in their place. */
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

/** The contents of a meta page. */
export interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly trees: readonly Tree[];
}

/** @returns undefined if this is not a meta page of LMDB */
function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(META_SIZE);
  readSync(file, page, 0, page.length, at);
  return metaOf(page);
}

function metaOf(page: Buffer): Meta | undefined {
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

/** A consistent copy of the two meta pages: they are read until two reads agree. */
export function metaPages(path: string): Uint8Array {
  const file = openSync(path, "r");
  try {
    const { pageSize = MIN_PAGE_SIZE } = readMeta(file, 0) ?? {};
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

/** Size of a file up to its last page, by its meta pages; undefined if these are none. */
export function usedBytes(metas: Uint8Array): number | undefined {
  const pages = Buffer.from(metas.buffer, metas.byteOffset, metas.length);
  const first = metaOf(pages);
  const second = first && metaOf(pages.subarray(first.pageSize));
  return second && bytesOf(first, second);
}

function bytesOf(first: Meta, second: Meta): number {
  return (Math.max(first.lastPage, second.lastPage) + 1) * first.pageSize;
}

/** A B-tree of a file. */
export interface Tree {
  readonly root: bigint;
  readonly rows: bigint;
  /** Levels from the root to the rows. */
  readonly depth: number;
}

/** The newer of the two meta pages. @throws DatabaseError `DATABASE_FORMAT` */
export function newestMeta(file: number, path: string): Meta {
  const first = readMeta(file, 0);
  const second = first && readMeta(file, first.pageSize);
  if (!first || !second)
    throw new DatabaseError("DATABASE_FORMAT", `${path} has damaged meta pages or is not a database`, {
      path,
    });
  return second.transaction > first.transaction ? second : first;
}
