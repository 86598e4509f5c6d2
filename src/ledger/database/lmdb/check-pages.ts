import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { DatabaseError } from "../errors.ts";
import { newestMeta } from "./first-pages.ts";

/** Bytes before the places of a page's nodes; these count from here on. */
const HEAD = 24;
/** Where a page says what it is for, and how many bytes its places and its nodes leave free. */
const KIND_AT = 18;
const LOWER_AT = 20;
const UPPER_AT = 22;
/** Of an overflow page: how many pages its value has. */
const PAGES_AT = 20;
const BRANCH = 1;
const LEAF = 2;
const OVERFLOW = 4;
/** Before a node's key: its low and high word, flags and the length of its key, two bytes each. */
const NODE_HEAD = 8;
/** Flag of a node whose value is on overflow pages. */
const IS_LONG = 1;
/** Of a tree without pages. */
const NO_PAGE = MAX_UINT64;

/** What a walk has found. */
export interface PageCounts {
  readonly pages: number;
  readonly rows: number;
}

/**
 * Reads the pages of a database's file, without LMDB, which a damaged one can end the process of: each page has its number,
 * its nodes lie within it, what they point to is in the file and is met once, and there are as many rows as the first page says.
 * @param levels - of the tree from its root on; all where it is left out
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
  #rows = 0;

  constructor(file: number, path: string, levels: number) {
    const { pageSize, lastPage, trees } = newestMeta(file, path);
    this.#file = file;
    this.#path = path;
    this.#levels = levels;
    this.#pageSize = pageSize;
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

  /** @param height - levels from this page to the rows; `left` - how many of them are looked at */
  #visit(number: number, height: number, left: number): void {
    const page = this.#take(number, 1);
    const kind = page.readUInt16LE(KIND_AT) & (BRANCH | LEAF | OVERFLOW);
    if (kind !== (height > 1 ? BRANCH : LEAF)) this.#refuse(number, `is of kind ${kind}`);
    const [lower, upper] = [page.readUInt16LE(LOWER_AT), page.readUInt16LE(UPPER_AT)];
    if (lower % 2 !== 0 || lower > upper || HEAD + upper > this.#pageSize)
      this.#refuse(number, "has its rows outside of it");
    for (let at = HEAD; at < HEAD + lower; at += 2) {
      const node = HEAD + page.readUInt16LE(at);
      const end = node + NODE_HEAD + (node + NODE_HEAD <= page.length ? page.readUInt16LE(node + 6) : 0);
      if (node < HEAD + upper || end > page.length) this.#refuse(number, "has a key outside of it");
      if (kind === LEAF) this.#visitRow(page, node, end, number);
      else if (left > 1) this.#visit(page.readUIntLE(node, 6), height - 1, left - 1);
    }
  }

  #visitRow(page: Buffer, node: number, value: number, number: number): void {
    this.#rows++;
    const length = page.readUInt32LE(node);
    const isLong = (page.readUInt16LE(node + 4) & IS_LONG) !== 0;
    if (value + (isLong ? 8 : length) > page.length) this.#refuse(number, "has a value outside of it");
    if (!isLong) return;
    const first = Number(page.readBigUInt64LE(value));
    const pages = Math.ceil((HEAD + length) / this.#pageSize);
    const head = this.#take(first, pages);
    if ((head.readUInt16LE(KIND_AT) & OVERFLOW) === 0 || head.readUInt32LE(PAGES_AT) !== pages)
      this.#refuse(first, "is not the long value that a row has there");
  }

  /** Reads a page that nothing else led to, the first of `count`. */
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
