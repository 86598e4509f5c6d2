import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { Amendment, StateChanges } from "../../ledger/state/state.ts";
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

  constructor(chain: Blockchain) {
    this.#chain = chain;
  }

  /** Number of those that are remembered: a mark for `undoTo`. */
  get mark(): number {
    return this.#made.length;
  }

  /** Changes the head's state. @param remember - whether it may have to be undone */
  async make(changes: StateChanges, remember: boolean): Promise<void> {
    const amendment = await this.#chain.amend(changes);
    if (remember) this.#made.push({ hash: this.#chain.tip.hash, amendment });
  }

  /** Undoes what was done to the state of the head since a mark; what was done to later blocks is gone with them. */
  async undoTo(mark: number): Promise<void> {
    const { hash } = this.#chain.tip;
    const since = this.#made.splice(mark).filter((made) => equalBytes(made.hash, hash));
    for (const { amendment } of since.reverse()) await amendment.undo().durable;
  }

  /** Nothing before now will be undone. */
  forget(): void {
    this.#made = [];
  }
}
