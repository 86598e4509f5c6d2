import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { DatabaseError } from "../errors.ts";
import { newestMeta } from "./meta-pages.ts";

/** Size of a page header as counted here; node offsets follow it, and are relative to its end. */
const HEAD = 24;
/** Offsets of a page's flags, and of the lower and upper bounds of its free space. */
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
/** Bytes of such a node in place of its value: the first overflow page, a transaction and a count. */
const LONG_VALUE = 24;
/** Root of an empty tree. */
const NO_PAGE = MAX_UINT64;

/** The counts of a complete walk. */
export interface PageCounts {
  readonly pages: number;
  readonly rows: number;
}

/**
 * Checks the pages of a database file without LMDB, which may crash the process on a damaged one: each page carries its
 * own number, its nodes fill it without gap or overlap, so that none is hidden or there twice, the pages they refer to are in the file and referenced only once, and the number of
 * rows agrees with the meta page.
 * @param levels - levels of the tree to check, from the root; all by default
 * @throws DatabaseError `DATABASE_DAMAGED` with the file and the page
 */
export function checkPages(path: string, levels = Number.POSITIVE_INFINITY): PageCounts {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    if (size === 0) return { pages: 0, rows: 0 };
    return new Walk(file, path, levels).run();
  } finally {
    closeSync(file);
  }
}

class Walk {
  readonly #file: number;
  readonly #path: string;
  readonly #levels: number;
  readonly #seen = new Set<number>();
  readonly #pageSize: number;
  readonly #lastPage: number;
  readonly #roots: readonly { readonly root: bigint; readonly rows: bigint; readonly depth: number }[];
  /** Bytes of the node at each even offset of a page, 0 where none begins. */
  readonly #sizes: Uint16Array;
  #rows = 0;

  constructor(file: number, path: string, levels: number) {
    const { pageSize, lastPage, trees } = newestMeta(file, path);
    this.#file = file;
    this.#path = path;
    this.#levels = levels;
    this.#pageSize = pageSize;
    this.#sizes = new Uint16Array(pageSize / 2);
    this.#lastPage = lastPage;
    this.#roots = trees;
  }

  run(): PageCounts {
    let total = 0;
    for (const { root, rows, depth } of this.#roots) {
      if (root === NO_PAGE) continue;
      this.#rows = 0;
      this.#visit(Number(root), depth, Math.min(depth, this.#levels));
      if (this.#levels >= depth && BigInt(this.#rows) !== rows)
        this.#refuse(Number(root), `has ${this.#rows} rows below it, not ${rows}`);
      total = this.#rows;
    }
    return { pages: this.#seen.size, rows: total };
  }

  /** @param height - levels from this page to the rows; `left` - how many of them to check */
  #visit(number: number, height: number, left: number): void {
    const page = this.#take(number, 1);
    const kind = page.readUInt16LE(KIND_AT) & (BRANCH | LEAF | OVERFLOW | FOREIGN);
    if (kind !== (height > 1 ? BRANCH : LEAF)) this.#refuse(number, `is of kind ${kind}`);
    const [lower, upper] = [page.readUInt16LE(LOWER_AT), page.readUInt16LE(UPPER_AT)];
    if (lower % 2 !== 0 || lower > upper || HEAD + upper > this.#pageSize)
      this.#refuse(number, "has rows beyond its bounds");
    for (let at = HEAD; at < HEAD + lower; at += 2) {
      const node = HEAD + page.readUInt16LE(at);
      const end = node + NODE_HEAD + (node + NODE_HEAD <= page.length ? page.readUInt16LE(node + 6) : 0);
      if (node < HEAD + upper || end > page.length) this.#refuse(number, "has a key beyond its bounds");
      if (kind === LEAF) this.#visitRow(page, node, end, number);
      else if (left > 1) this.#visit(page.readUIntLE(node, 6), height - 1, left - 1);
    }
    this.#checkFilled(page, number, kind);
  }

  /**
   * Checks that the nodes lie side by side from the end of the free space to the end of the page: a changed offset or count would hide
   * rows, or show one in place of another, with nothing wrong in the rows themselves.
   */
  #checkFilled(page: Buffer, number: number, kind: number): void {
    const sizes = this.#sizes.fill(0);
    const nodes = page.readUInt16LE(LOWER_AT) / 2;
    for (let i = 0; i < nodes; i++) {
      const node = HEAD + page.readUInt16LE(HEAD + 2 * i);
      if (node % 2 !== 0 || node + NODE_HEAD > page.length)
        this.#refuse(number, "has a row beyond its bounds");
      sizes[node / 2] = sizeOfNode(page, node, kind);
    }
    let at = HEAD + page.readUInt16LE(UPPER_AT);
    for (let i = 0; i < nodes; i++) at += sizes[at / 2] || page.length;
    if (at !== page.length) this.#refuse(number, "has rows that do not fill it");
  }

  #visitRow(page: Buffer, node: number, value: number, number: number): void {
    this.#rows++;
    const length = page.readUInt32LE(node);
    const isLong = (page.readUInt16LE(node + 4) & IS_LONG) !== 0;
    if (value + (isLong ? 8 : length) > page.length) this.#refuse(number, "has a value beyond its bounds");
    if (!isLong) return;
    const first = Number(page.readBigUInt64LE(value));
    const pages = Math.ceil((HEAD + length) / this.#pageSize);
    const head = this.#take(first, pages);
    if ((head.readUInt16LE(KIND_AT) & OVERFLOW) === 0 || head.readUInt32LE(PAGES_AT) !== pages)
      this.#refuse(first, "is not the overflow page that a row refers to");
  }

  /** Reads the first of `count` pages, none of which may have been visited before. */
  #take(number: number, count: number): Buffer {
    if (number < 2 || number + count - 1 > this.#lastPage) this.#refuse(number, "is not in the file");
    for (let each = number; each < number + count; each++) {
      if (this.#seen.has(each)) this.#refuse(each, "is used twice");
      this.#seen.add(each);
    }
    const page = Buffer.alloc(this.#pageSize);
    readSync(this.#file, page, 0, page.length, number * this.#pageSize);
    if (page.readBigUInt64LE(0) !== BigInt(number)) this.#refuse(number, "has another number");
    return page;
  }

  #refuse(page: number, what: string): never {
    const message = `${this.#path} is damaged: page ${page} ${what}`;
    throw new DatabaseError("DATABASE_DAMAGED", message, { path: this.#path, page });
  }
}

/** Bytes of a node, an even number; 65,535 at most, so that one that is too long does not look like a short one. */
function sizeOfNode(page: Buffer, node: number, kind: number): number {
  const [low, high] = [page.readUInt16LE(node), page.readUInt16LE(node + 2)];
  const isLong = (page.readUInt16LE(node + 4) & IS_LONG) !== 0;
  const value = kind === BRANCH ? 0 : isLong ? LONG_VALUE : low + high * 0x10000;
  const size = NODE_HEAD + page.readUInt16LE(node + 6) + value;
  return Math.min(size + (size % 2), 0xffff);
}
