import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import type { PastTries } from "./past-state.ts";

/** What tries are rebuilt for: a block, and either the storage of one account or all storage. */
export interface TriesTarget {
  readonly number: bigint;
  /** Hashed address of that account; undefined for all storage. */
  readonly owner: Hash | undefined;
}

/** Caches the tries of the last past state rebuilt: proofs are seldom requested singly. */
export class PastTriesCache {
  #entry: (TriesTarget & { readonly tries: PastTries; readonly isCurrent: () => boolean }) | undefined;

  /** The cached tries for a target; without an owner, only the account trie is needed. */
  find({ number, owner }: TriesTarget): PastTries | undefined {
    const entry = this.#entry;
    if (entry?.number !== number || !entry.isCurrent()) return undefined;
    const fits = !entry.owner || !owner || equalBytes(entry.owner, owner);
    return fits ? entry.tries : undefined;
  }

  /** Replaces the cached tries. @param isCurrent - tells whether they are still valid */
  keep(target: TriesTarget, tries: PastTries, isCurrent: () => boolean): PastTries {
    this.#entry = { ...target, tries, isCurrent };
    return tries;
  }
}
