import type { Pace } from "../../platform/runtime/turns/pace.ts";
import { type Address, equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { StateError } from "./errors.ts";
import type { AccountRecord, SlotRecord, StateStore, StateView } from "./state.ts";
import { keyAfter } from "./store/flat/flat-changes.ts";

/** Maximum number of records in a part. */
const PART = 256;

/** The block whose state is read. */
export interface PinnedBlock {
  readonly number: bigint;
  /** Whether the block is still in the chain. */
  readonly isCanonical: () => boolean;
}

/**
 * The state after one block, read over many event-loop turns while the chain advances. It fails rather than mix states.
 */
export class PinnedState {
  readonly #store: StateStore;
  readonly #block: PinnedBlock;
  readonly #pace: Pace;
  readonly #root: Hash | undefined;
  #head: StateStore["head"];
  #view: StateView;

  /** @throws StateError `STATE_PRUNED` */
  constructor(store: StateStore, block: PinnedBlock, pace: Pace) {
    this.#store = store;
    this.#block = block;
    this.#pace = pace;
    this.#head = store.head;
    this.#view = this.#open();
    this.#root = rootOf(this.#view);
  }

  /**
   * A view of the state, valid for this turn of the event loop.
   * @throws StateError `STATE_PRUNED` when it is no longer kept, `STATE_STALE` when the block is no longer canonical
   */
  get view(): StateView {
    const { head } = this.#store;
    if (head === this.#head) return this.#view;
    this.#view = this.#open();
    this.#head = head;
    const root = rootOf(this.#view);
    const isSame = this.#root === undefined || root === undefined || equalBytes(root, this.#root);
    if (isSame && this.#block.isCanonical()) return this.#view;
    const { number } = this.#block;
    throw new StateError("STATE_STALE", `the state of block ${number} changed while it was read`, { number });
  }

  /** Accounts in the order of their hashes, in parts. */
  accounts(from?: Hash): AsyncGenerator<readonly AccountRecord[]> {
    return this.#parts((view, next) => view.accounts(next), from);
  }

  /** Slots of an account in the order of their hashes, in parts. */
  slots(address: Address, from?: Hash): AsyncGenerator<readonly SlotRecord[]> {
    return this.#parts((view, next) => view.slots(address, next), from);
  }

  /** Each part holds as many records as fit into one turn. */
  async *#parts<T extends { readonly hash: Hash }>(
    open: (view: StateView, from?: Hash) => Iterable<T>,
    from?: Hash,
  ): AsyncGenerator<readonly T[]> {
    let next = from;
    let opened: StateView | undefined;
    let rows: Iterator<T> | undefined;
    try {
      for (;;) {
        const { view } = this;
        if (view !== opened || rows === undefined) {
          rows?.return?.();
          rows = open(view, next)[Symbol.iterator]();
        }
        opened = view;
        const { records, isLast } = this.#take(rows);
        yield records;
        const last = records.at(-1);
        if (last !== undefined) next = keyAfter(last.hash);
        if (isLast || next === undefined) return;
        if (this.#pace.isDue()) await this.#pace.yield();
      }
    } finally {
      rows?.return?.();
    }
  }

  #take<T>(rows: Iterator<T>): { readonly records: readonly T[]; readonly isLast: boolean } {
    const records: T[] = [];
    do {
      const { done, value } = rows.next();
      if (done) return { records, isLast: true };
      records.push(value);
    } while (records.length < PART && !this.#pace.isDue());
    return { records, isLast: false };
  }

  #open(): StateView {
    const { number } = this.#block;
    const view = this.#store.at(number);
    if (view !== undefined) return view;
    throw new StateError("STATE_PRUNED", `missing state of block ${number}: its history is not kept`, {
      number,
    });
  }
}

/** An archive does not store the roots of old states; those are identified by number alone. */
function rootOf(view: StateView): Hash | undefined {
  try {
    return view.root;
  } catch (error) {
    if (error instanceof StateError && error.code === "STATE_PRUNED") return undefined;
    throw error;
  }
}
