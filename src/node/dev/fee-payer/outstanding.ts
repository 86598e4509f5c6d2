import type { Chain } from "../../../ledger/chain/chain.ts";
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
  readonly end: (isIncluded: boolean) => void;
}

/**
 * Transactions that were signed as fee payer and are not in the chain yet. Anyone who has seen one can resend it, so it
 * may cost its fee until its sender has used its nonce.
 */
export class Outstanding {
  readonly #chain: Pick<Chain, "locate" | "onHead" | "latestState">;
  readonly #waiting = new Set<Waiting>();
  #places = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(chain: Pick<Chain, "locate" | "onHead" | "latestState">) {
    this.#chain = chain;
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
      this.#waiting.add({ hash, sender, nonce: tx.nonce, end: resolve });
      this.#unsubscribe ??= this.#chain.onHead(() => this.#look());
    });
  }

  #look(): void {
    for (const waiting of this.#waiting) {
      const isIncluded = this.#chain.locate(waiting.hash) !== undefined;
      if (!isIncluded && !this.#isUsed(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.end(isIncluded);
    }
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
