import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import type { Amendment, StateChanges } from "../../ledger/state/state.ts";
import type { Pace } from "../../platform/runtime/turns/pace.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";

interface Made {
  /** Block on whose state it was made. */
  readonly hash: Hash;
  readonly amendment: Amendment;
}

/**
 * State edits made without blocks, in order, kept as long as a snapshot may need to undo them. All methods are for use
 * within `Blockchain.exclusive`.
 */
export class Amendments {
  readonly #chain: Blockchain;
  #made: Made[] = [];
  /** How many were recorded before the first of `#made`. */
  #forgotten = 0;
  #bytes = 0;
  /** Called when another one is recorded. */
  onRemembered: () => void = () => {};

  constructor(chain: Blockchain) {
    this.#chain = chain;
  }

  /** How many have been recorded: a mark for `undoTo`. */
  get mark(): number {
    return this.#forgotten + this.#made.length;
  }

  /** Memory held by the rows needed for undoing, in bytes. */
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

  /** Undoes the edits of the head's state since a mark; edits on later blocks disappeared with those blocks. */
  async undoTo(mark: number): Promise<void> {
    const { hash } = this.#chain.tip;
    const since = this.#take(mark - this.#forgotten, this.#made.length);
    for (const { amendment } of since.filter((made) => equalBytes(made.hash, hash)).reverse())
      await amendment.undo().durable;
  }

  /** Forgets everything before a mark; without one, everything before now. */
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
