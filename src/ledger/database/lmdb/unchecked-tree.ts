import { closeSync, openSync } from "node:fs";
import { type CheckedPages, NO_PAGE } from "./check-pages.ts";
import {
  type Bounds,
  boundsOfChild,
  childAt,
  keyAt,
  NO_BOUNDS,
  nodeAt,
  nodeCount,
  TreePages,
  type TreePlace,
  transactionOf,
} from "./tree-pages.ts";

const { compare } = Buffer;

/** Branch pages kept, of 4 KiB, and numbers of leaves known to be whole: a batch of random keys checks each leaf once. */
const MAX_BRANCHES = 4096;
const MAX_LEAVES = 65_536;

/**
 * The pages of a file too large to be checked at the start. A changed bit in one of them would hide rows from LMDB, or lead it to earlier
 * ones, with nothing wrong in the rows themselves. So whoever reads or writes a row first has the pages on the way to it checked, each
 * once between two batches, and a walk in key order (`advance`) goes through all of them; what it has passed needs no further check, since
 * LMDB makes whole pages from whole pages.
 * All methods throw DatabaseError `DATABASE_DAMAGED` with the file and the page.
 */
export class UncheckedTree {
  readonly #file: number;
  readonly #tree: TreePages;
  readonly #start: Pick<CheckedPages, "free" | "transaction">;
  readonly #branches = new Map<number, Buffer>();
  readonly #leaves = new Set<number>();
  readonly #leaf: Buffer;
  /** Where the walk goes on; undefined once it has reached the end. */
  #position: Uint8Array | undefined = new Uint8Array(0);
  /** Keys below this are on leaves that are checked, as are those behind them. */
  #settled: Uint8Array = new Uint8Array(0);
  /** The leaf checked last. */
  #latest: Bounds | undefined;
  /** The leaf checked last with those beside it. */
  #surrounded: Bounds | undefined;
  #isStale = false;

  /** @param start - the free pages of a file, and its newest transaction, before LMDB opens it */
  constructor(path: string, start: Pick<CheckedPages, "free" | "transaction">) {
    this.#file = openSync(path, "r");
    this.#tree = new TreePages(this.#file, path);
    this.#start = start;
    this.#leaf = Buffer.alloc(this.#tree.pageSize);
  }

  /** Whether every page has been checked. */
  get isChecked(): boolean {
    return this.#position === undefined;
  }

  /** Checks the pages on the way to a key. */
  check(key: Uint8Array): void {
    if (this.#position && compare(key, this.#settled) >= 0) this.#boundsOf(key, false);
  }

  /** Checks the leaves that may have keys between two others, these included. @param to - undefined = the end */
  checkBetween(from: Uint8Array, to: Uint8Array | undefined): void {
    if (!this.#position) return;
    let at: Uint8Array | undefined = compare(from, this.#settled) < 0 ? this.#settled : from;
    while (at && (!to || compare(at, to) <= 0)) at = this.#boundsOf(at, false).high;
  }

  /**
   * As `check`, also for the leaves before and behind: LMDB goes to them in search of a row beside the key, they tell whether it looked
   * on the right page, and if it deletes the row, it may merge them.
   */
  checkAround(key: Uint8Array): void {
    if (!this.#position || compare(key, this.#settled) < 0) return;
    if (this.#surrounded && isWithin(key, this.#surrounded)) return;
    const bounds = this.#boundsOf(key, false);
    if (bounds.low) this.#boundsOf(bounds.low, true);
    if (bounds.high) this.#boundsOf(bounds.high, false);
    this.#surrounded = bounds;
  }

  /** Goes on with the walk until `isDue`. */
  advance(isDue: () => boolean): void {
    while (this.#position && !isDue()) {
      const { low, high } = this.#boundsOf(this.#position, false);
      this.#settled = low ?? this.#settled;
      this.#position = high;
    }
  }

  /** To be called before and after LMDB writes: pages get other contents. */
  forget(): void {
    this.#branches.clear();
    this.#leaves.clear();
    this.#latest = undefined;
    this.#surrounded = undefined;
    this.#isStale = true;
  }

  close(): void {
    this.#position = undefined;
    this.forget();
    closeSync(this.#file);
  }

  /** Checks the pages on the way to a leaf. @param isBelow - to the last leaf that may have keys below `key`, not to that of `key` */
  #boundsOf(key: Uint8Array, isBelow: boolean): Bounds {
    const latest = this.#latest;
    if (latest && !isBelow && isWithin(key, latest)) return latest;
    if (this.#isStale) this.#tree.reload();
    this.#isStale = false;
    const { root, depth } = this.#tree.trees[1] ?? { root: NO_PAGE, depth: 0 };
    let bounds = NO_BOUNDS;
    if (root === NO_PAGE) return bounds;
    let number = Number(root);
    for (let height = depth; height > 1; height--) {
      const page = this.#branch(number, { height, bounds });
      const index = childIndex(page, key, isBelow);
      number = childAt(page, nodeAt(page, index));
      bounds = boundsOfChild(page, index, bounds);
    }
    this.#checkLeaf(number, bounds);
    this.#latest = bounds;
    return bounds;
  }

  #branch(number: number, place: TreePlace): Buffer {
    const known = this.#branches.get(number);
    if (known) return known;
    const page = this.#tree.read(number, place);
    this.#checkUsed(page, number);
    if (this.#branches.size >= MAX_BRANCHES) this.#branches.clear();
    this.#branches.set(number, page);
    return page;
  }

  #checkLeaf(number: number, bounds: Bounds): void {
    if (this.#leaves.has(number)) return;
    const page = this.#tree.read(number, { height: 1, bounds }, this.#leaf);
    this.#checkUsed(page, number);
    const nodes = nodeCount(page);
    for (let i = 0; i < nodes; i++) this.#tree.longValue(page, nodeAt(page, i));
    if (this.#leaves.size >= MAX_LEAVES) this.#leaves.clear();
    this.#leaves.add(number);
  }

  /** A page that was free at the start has earlier rows, unless it was written since. */
  #checkUsed(page: Buffer, number: number): void {
    if (this.#start.free.has(number) && transactionOf(page) <= this.#start.transaction)
      this.#tree.refuse(number, "is used and on the list of free pages");
  }
}

/** Index of the last child of a branch page whose keys may be at most, or (`isBelow`) below, a key. */
function childIndex(page: Buffer, key: Uint8Array, isBelow: boolean): number {
  let [low, high] = [0, nodeCount(page) - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    const order = compare(keyAt(page, nodeAt(page, middle)), key);
    if (order < 0 || (order === 0 && !isBelow)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isWithin(key: Uint8Array, { low, high }: Bounds): boolean {
  return (!low || compare(low, key) <= 0) && (!high || compare(key, high) < 0);
}
