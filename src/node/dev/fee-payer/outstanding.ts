import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { MissingState } from "../../../ledger/state/missing-state.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";

/** Maximum number of paid transactions that are not in the chain yet; more are refused. */
const MOST = 1000;

interface Waiting {
  readonly hash: Hash;
  readonly sender: Address;
  readonly nonce: bigint;
  /** Of the chain when it was last known. */
  generation: number;
  readonly end: (isIncluded: boolean) => void;
}

/** What is asked of the chain. */
type WatchedChain = Pick<Blockchain, "exclusive" | "generation" | "latestState" | "locate" | "onHead">;

/**
 * Transactions that were signed as fee payer and are not in the chain yet. Anyone who has seen one can resend it, so it
 * may cost its fee until its sender has used its nonce, or a revert or a reset has undone it.
 */
export class Outstanding {
  readonly #chain: WatchedChain;
  readonly #isKnown: (hash: Hash) => Promise<boolean>;
  readonly #waiting = new Set<Waiting>();
  #places = 0;
  #unsubscribe: (() => void) | undefined;

  /** @param isKnown - whether a transaction is in the chain or in the pool */
  constructor(chain: WatchedChain, isKnown: (hash: Hash) => Promise<boolean>) {
    this.#chain = chain;
    this.#isKnown = isKnown;
  }

  /** Whether no further one may be signed. */
  get isFull(): boolean {
    return this.#places >= MOST;
  }

  /** Takes a place for a transaction before it is signed. @returns a function that gives it back once its fate is decided */
  enter(): () => void {
    this.#places++;
    return () => {
      this.#places--;
    };
  }

  /** Resolves with true once a transaction is in the chain, or with false once it cannot get there any more. */
  until(tx: Transaction, sender: Address): Promise<boolean> {
    const hash = transactionHash(tx);
    if (this.#chain.locate(hash) !== undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const { generation } = this.#chain;
      this.#waiting.add({ hash, sender, nonce: tx.nonce, generation, end: resolve });
      this.#unsubscribe ??= this.#chain.onHead(() => this.#look());
    });
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      const isIncluded = this.#chain.locate(waiting.hash) !== undefined;
      if (isIncluded || this.#isUsed(waiting)) this.#end(waiting, isIncluded);
      else if (waiting.generation !== this.#chain.generation) void this.#endIfUndone(waiting).catch(() => {}); // its nonce decides
    }
  }

  /** A revert puts the transactions of its snapshot back into the pool before it releases the chain. */
  async #endIfUndone(waiting: Waiting): Promise<void> {
    waiting.generation = this.#chain.generation;
    await this.#chain.exclusive(async () => {});
    if (!(await this.#isKnown(waiting.hash))) this.#end(waiting, false);
  }

  #end(waiting: Waiting, isIncluded: boolean): void {
    this.#waiting.delete(waiting);
    waiting.end(isIncluded);
    if (this.#waiting.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #isUsed({ sender, nonce }: Waiting): boolean {
    try {
      return (this.#chain.latestState().account(sender)?.nonce ?? 0n) > nonce;
    } catch (error) {
      if (error instanceof MissingState) return false; // a fork that was moved: the next head decides
      throw error;
    }
  }
}
