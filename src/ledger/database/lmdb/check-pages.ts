import { closeSync, fstatSync, openSync } from "node:fs";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import { PageSet } from "./page-set.ts";
import {
  boundsOfChild,
  childAt,
  NO_BOUNDS,
  nodeAt,
  nodeCount,
  TreePages,
  type TreePlace,
  valueAt,
} from "./tree-pages.ts";

/** Root of an empty tree. */
export const NO_PAGE = MAX_UINT64;
/** Bytes of a page number in a list of free pages, and of the count before it. */
const NUMBER = 8;

/** What a walk has found. */
export interface CheckedPages {
  /** Pages that were checked. */
  readonly pages: number;
  /** Rows on them. */
  readonly rows: number;
  /** Pages that no row refers to, as of the newest transaction. */
  readonly free: PageSet;
  /** Its number. */
  readonly transaction: bigint;
}

/**
 * Checks the pages of a database file without LMDB: each is as `TreePages` requires, the pages that nodes refer to are in the file,
 * not free, since they may have earlier rows then, and referenced only once, and the number of rows agrees with the meta page.
 * @param levels - levels of the tree of rows to check, from the root; all by default
 * @throws DatabaseError `DATABASE_DAMAGED` with the file and the page
 */
export function checkPages(path: string, levels = Number.POSITIVE_INFINITY): CheckedPages {
  const file = openSync(path, "r");
  try {
    if (fstatSync(file).size === 0) return { pages: 0, rows: 0, free: new PageSet(0), transaction: 0n };
    return new Walk(new TreePages(file, path), levels).run();
  } finally {
    closeSync(file);
  }
}

class Walk {
  readonly #tree: TreePages;
  readonly #levels: number;
  readonly #seen: PageSet;
  readonly #free: PageSet;
  /** Whether the leaves now visited are lists of free pages. */
  #isFreeList = true;
  #rows = 0;

  constructor(tree: TreePages, levels: number) {
    this.#tree = tree;
    this.#levels = levels;
    this.#seen = new PageSet(tree.lastPage);
    this.#free = new PageSet(tree.lastPage);
  }

  run(): CheckedPages {
    for (const { root, rows, depth } of this.#tree.trees) {
      this.#rows = 0;
      const levels = this.#isFreeList ? depth : Math.min(depth, this.#levels);
      const bounds = this.#isFreeList ? undefined : NO_BOUNDS;
      if (root !== NO_PAGE) this.#visit(Number(root), { height: depth, bounds }, levels);
      if (levels >= depth && BigInt(this.#rows) !== rows)
        this.#tree.refuse(Number(root), `has ${this.#rows} rows below it, not ${rows}`);
      this.#isFreeList = false;
    }
    const { transaction } = this.#tree;
    return { pages: this.#seen.size, rows: this.#rows, free: this.#free, transaction };
  }

  /** @param left - levels from this page on that are to be checked */
  #visit(number: number, place: TreePlace, left: number): void {
    const { height, bounds } = place;
    this.#take(number, 1);
    const page = this.#tree.read(number, place);
    const nodes = nodeCount(page);
    for (let i = 0; i < nodes; i++) {
      const node = nodeAt(page, i);
      const below = bounds && boundsOfChild(page, i, bounds);
      if (height === 1) this.#visitRow(page, node);
      else if (left > 1) this.#visit(childAt(page, node), { height: height - 1, bounds: below }, left - 1);
    }
  }

  #visitRow(page: Buffer, node: number): void {
    this.#rows++;
    const long = this.#tree.longValue(page, node);
    if (long) this.#take(long.first, long.pages);
    if (this.#isFreeList) this.#addFree(long ? this.#tree.readLong(long) : valueAt(page, node));
  }

  /** Adds a list of free pages: a count, then numbers; a negative one is that of pages in a row, whose first follows, 0 is none. */
  #addFree(list: Buffer): void {
    const count = Math.min(Number(list.readBigUInt64LE(0)), list.length / NUMBER - 1);
    for (let i = 1; i <= count; i++) {
      const entry = Number(list.readBigInt64LE(NUMBER * i));
      if (entry === 0) continue;
      const first = entry > 0 || i === count ? entry : Number(list.readBigInt64LE(NUMBER * ++i));
      const pages = entry > 0 ? 1 : -entry;
      this.#tree.checkWithin(first, pages);
      for (let page = first; page < first + pages; page++) this.#free.add(page);
    }
  }

  /** Notes `count` pages, none of which may have been visited before. */
  #take(number: number, count: number): void {
    this.#tree.checkWithin(number, count);
    for (let each = number; each < number + count; each++) {
      if (this.#free.has(each)) this.#tree.refuse(each, "is used and on the list of free pages");
      if (!this.#seen.add(each)) this.#tree.refuse(each, "is used twice");
    }
  }
}
