import { readSync } from "node:fs";
import { DatabaseError } from "../errors.ts";
import { newestMeta, type Tree } from "./meta-pages.ts";

const { compare } = Buffer;

/** Size of a page header as counted here; node offsets follow it, and are relative to its end. */
export const HEAD = 24;
/** Offsets of the transaction that wrote a page, of its flags, and of the lower and upper bounds of its free space. */
const TRANSACTION_AT = 8;
const KIND_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
/** Offset of an overflow page's page count. */
const PAGES_AT = 20;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
/** Kinds of pages that this database has none of: meta pages elsewhere than at the beginning, and pages of duplicate rows. */
const FOREIGN = 0x68;
/** Size of a node header: low and high word, flags and key length, two bytes each. */
const NODE_HEAD = 8;
/** Flag of a node whose value is on overflow pages (F_BIGDATA). */
const IS_LONG = 1;
/** Bytes of such a node in place of its value: the first overflow page, the transaction that wrote it and a count. */
const LONG_VALUE = 24;

/** The keys that a page may have: from `low` on, below `high`; undefined = no bound. */
export interface Bounds {
  readonly low: Uint8Array | undefined;
  readonly high: Uint8Array | undefined;
}

/** The bounds of a root. */
export const NO_BOUNDS: Bounds = { low: undefined, high: undefined };

/** Where a page is in a tree. */
export interface TreePlace {
  /** Levels from this page to the rows; 1 for a leaf. */
  readonly height: number;
  /** Undefined for a tree whose keys are no bytes. */
  readonly bounds: Bounds | undefined;
}

/** Overflow pages with one value. */
export interface LongValue {
  readonly first: number;
  readonly pages: number;
  readonly bytes: number;
}

/**
 * Reads single pages of a database file without LMDB, which may crash the process on a damaged one. Each page must carry its own number,
 * its nodes must fill it without gap or overlap, so that none is hidden or there twice, and its keys must be between those that lead
 * to it; those of a branch page must be in order.
 * All methods throw DatabaseError `DATABASE_DAMAGED` with the file and the page.
 */
export class TreePages {
  readonly path: string;
  readonly pageSize: number;
  readonly #file: number;
  #lastPage!: number;
  #trees!: readonly Tree[];
  #transaction!: bigint;
  /** Bytes of the node at each even offset of a page, 0 where none begins. */
  readonly #sizes: Uint16Array;
  readonly #overflow = Buffer.alloc(HEAD);

  /** @param file - descriptor of the open file; stays the caller's */
  constructor(file: number, path: string) {
    this.#file = file;
    this.path = path;
    this.pageSize = this.reload();
    this.#sizes = new Uint16Array(this.pageSize / 2);
  }

  /** Reads the meta pages again. @returns bytes of a page */
  reload(): number {
    const { pageSize, lastPage, trees, transaction } = newestMeta(this.#file, this.path);
    this.#lastPage = lastPage;
    this.#trees = trees;
    this.#transaction = transaction;
    return pageSize;
  }

  get lastPage(): number {
    return this.#lastPage;
  }

  /** The trees of the free pages and of the rows. */
  get trees(): readonly Tree[] {
    return this.#trees;
  }

  /** Number of the newest transaction. */
  get transaction(): bigint {
    return this.#transaction;
  }

  /** Reads and checks a branch or leaf page. @param page - its memory */
  read(
    number: number,
    { height, bounds }: TreePlace,
    page: Buffer = Buffer.allocUnsafeSlow(this.pageSize),
  ): Buffer {
    this.#fill(page, number);
    const kind = page.readUInt16LE(KIND_AT) & (BRANCH | LEAF | OVERFLOW | FOREIGN);
    if (kind !== (height > 1 ? BRANCH : LEAF)) this.refuse(number, `is of kind ${kind}`);
    const [lower, upper] = [page.readUInt16LE(LOWER_AT), page.readUInt16LE(UPPER_AT)];
    if (lower % 2 !== 0 || lower > upper || HEAD + upper > page.length)
      this.refuse(number, "has rows beyond its bounds");
    const sizes = this.#sizes.fill(0);
    for (let at = HEAD; at < HEAD + lower; at += 2) {
      const node = HEAD + page.readUInt16LE(at);
      if (node < HEAD + upper || node % 2 !== 0 || node + NODE_HEAD > page.length)
        this.refuse(number, "has a key beyond its bounds");
      const end = node + NODE_HEAD + page.readUInt16LE(node + 6);
      if (end > page.length) this.refuse(number, "has a key beyond its bounds");
      const size = kind === BRANCH ? 0 : isLong(page, node) ? LONG_VALUE : page.readUInt32LE(node);
      if (end + size > page.length) this.refuse(number, "has a value beyond its bounds");
      sizes[node / 2] = end + size - node + ((end + size) % 2);
    }
    // A changed offset or count would hide rows, or show one in place of another, with nothing wrong in the rows themselves.
    let at = HEAD + upper;
    for (let i = 0; i < lower; i += 2) at += sizes[at / 2] || page.length;
    if (at !== page.length) this.refuse(number, "has rows that do not fill it");
    if (bounds) this.#checkKeys(page, number, bounds);
    return page;
  }

  /** Reads and checks the first page of a node's long value. @returns undefined for a node that has its value with it */
  longValue(page: Buffer, node: number): LongValue | undefined {
    if (!isLong(page, node)) return undefined;
    const bytes = page.readUInt32LE(node);
    const at = node + NODE_HEAD + page.readUInt16LE(node + 6);
    const first = Number(page.readBigUInt64LE(at));
    const head = this.#overflow;
    this.checkWithin(first, 1);
    this.#fill(head, first);
    const pages = head.readUInt32LE(PAGES_AT);
    // LMDB counts the pages in both places. A list of free pages that became shorter while it was written keeps them all.
    const isOverflow = (head.readUInt16LE(KIND_AT) & OVERFLOW) !== 0;
    if (
      !isOverflow ||
      pages * this.pageSize < HEAD + bytes ||
      page.readBigUInt64LE(at + 16) !== BigInt(pages)
    )
      this.refuse(first, "is not the overflow page that a row refers to");
    this.checkWithin(first, pages);
    // An earlier value of the same row would have a valid checksum.
    if (head.readBigUInt64LE(TRANSACTION_AT) !== page.readBigUInt64LE(at + 8))
      this.refuse(first, "was not written with the row that refers to it");
    return { first, pages, bytes };
  }

  /** Bytes of a long value. */
  readLong({ first, bytes }: LongValue): Buffer {
    const value = Buffer.alloc(bytes);
    readSync(this.#file, value, 0, bytes, first * this.pageSize + HEAD);
    return value;
  }

  checkWithin(number: number, count: number): void {
    if (number < 2 || number + count - 1 > this.#lastPage) this.refuse(number, "is not in the file");
  }

  refuse(page: number, what: string): never {
    const message = `${this.path} is damaged: page ${page} ${what}`;
    throw new DatabaseError("DATABASE_DAMAGED", message, { path: this.path, page });
  }

  /** The rows of a leaf have checksums; of its keys, the first and the last tell whether it belongs here. */
  #checkKeys(page: Buffer, number: number, { low, high }: Bounds): void {
    const isLeaf = (page.readUInt16LE(KIND_AT) & LEAF) !== 0;
    const last = nodeCount(page) - 1;
    // The first key of a branch page is not used.
    const first = isLeaf ? 0 : 1;
    if (last < first) return;
    const lowest = keyAt(page, nodeAt(page, first));
    const highest = keyAt(page, nodeAt(page, last));
    if ((low && compare(lowest, low) < 0) || (high && compare(highest, high) >= 0))
      this.refuse(number, "has keys that belong on another page");
    for (let i = first; !isLeaf && i < last; i++)
      if (compare(keyAt(page, nodeAt(page, i)), keyAt(page, nodeAt(page, i + 1))) >= 0)
        this.refuse(number, "has keys that are out of order");
  }

  #fill(page: Buffer, number: number): void {
    this.checkWithin(number, 1);
    const read = readSync(this.#file, page, 0, page.length, number * this.pageSize);
    if (read < page.length) this.refuse(number, "is not in the file");
    if (page.readBigUInt64LE(0) !== BigInt(number)) this.refuse(number, "has another number");
  }
}

/** Number of nodes on a page. */
export function nodeCount(page: Buffer): number {
  return page.readUInt16LE(LOWER_AT) / 2;
}

/** Offset of a node on its page. */
export function nodeAt(page: Buffer, index: number): number {
  return HEAD + page.readUInt16LE(HEAD + 2 * index);
}

/** The bounds of a branch page's child. */
export function boundsOfChild(page: Buffer, index: number, { low, high }: Bounds): Bounds {
  return {
    low: index > 0 ? keyAt(page, nodeAt(page, index)) : low,
    high: index + 1 < nodeCount(page) ? keyAt(page, nodeAt(page, index + 1)) : high,
  };
}

/** Number of the page that a node of a branch page refers to. */
export function childAt(page: Buffer, node: number): number {
  return page.readUIntLE(node, 6);
}

/** A view of a node's key. */
export function keyAt(page: Buffer, node: number): Buffer {
  return page.subarray(node + NODE_HEAD, node + NODE_HEAD + page.readUInt16LE(node + 6));
}

/** A view of the value that a node has with it. */
export function valueAt(page: Buffer, node: number): Buffer {
  const at = node + NODE_HEAD + page.readUInt16LE(node + 6);
  return page.subarray(at, at + page.readUInt32LE(node));
}

/** Number of the transaction that wrote a page. */
export function transactionOf(page: Buffer): bigint {
  return page.readBigUInt64LE(TRANSACTION_AT);
}

function isLong(page: Buffer, node: number): boolean {
  return (page.readUInt16LE(node + 4) & IS_LONG) !== 0;
}
