import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { Amendment, StateChanges } from "../../ledger/state/state.ts";
import type { Pace } from "../../platform/runtime/pace.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";

interface Made {
  /** Block on whose state it was made. */
  readonly hash: Hash;
  readonly amendment: Amendment;
}

/**
 * Changes of the state without blocks, in their order, as far as a snapshot may want them undone. All methods are for use
 * within `Blockchain.exclusive`.
 */
export class Amendments {
  readonly #chain: Blockchain;
  #made: Made[] = [];
  /** Number of those that were remembered before the first of `#made`. */
  #forgotten = 0;
  #bytes = 0;
  /** Called when one more is remembered. */
  onRemembered: () => void = () => {};

  constructor(chain: Blockchain) {
    this.#chain = chain;
  }

  /** Number of those that have been remembered: a mark for `undoTo`. */
  get mark(): number {
    return this.#forgotten + this.#made.length;
  }

  /** Memory of the rows that undoing takes, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Changes the head's state. @param remember - whether it may have to be undone */
  async make(changes: StateChanges, remember: boolean, pace?: Pace): Promise<void> {
    const amendment = await this.#chain.amend(changes, pace);
    if (!remember) return;
    this.#made.push({ hash: this.#chain.tip.hash, amendment });
    this.#bytes += amendment.bytes;
    this.onRemembered();
  }

  /** Undoes what was done to the state of the head since a mark; what was done to later blocks is gone with them. */
  async undoTo(mark: number): Promise<void> {
    const { hash } = this.#chain.tip;
    const since = this.#take(mark - this.#forgotten, this.#made.length);
    for (const { amendment } of since.filter((made) => equalBytes(made.hash, hash)).reverse())
      await amendment.undo().durable;
  }

  /** Nothing before a mark will be undone; without one, nothing before now. */
  forget(before: number = this.mark): void {
    const count = before - this.#forgotten;
    this.#take(0, count);
    this.#forgotten += count;
  }

  #take(from: number, to: number): Made[] {
    const taken = this.#made.splice(from, to - from);
    for (const { amendment } of taken) this.#bytes -= amendment.bytes;
    return taken;
  }
}
