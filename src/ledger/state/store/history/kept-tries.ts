import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import type { PastTries } from "./past-state.ts";

/** Of which state tries are: after a block, of all accounts with the storage of one, or of all that matter. */
export interface TriesPlace {
  readonly number: bigint;
  /** Hash of the address of that one. */
  readonly owner: Hash | undefined;
}

/** The tries of the past state that was asked for last: a proof is seldom asked for alone. */
export class KeptTries {
  #kept: (TriesPlace & { readonly tries: PastTries; readonly isCurrent: () => boolean }) | undefined;

  /** The tries of a place; without an owner only the account trie is asked for. */
  find({ number, owner }: TriesPlace): PastTries | undefined {
    const kept = this.#kept;
    if (kept?.number !== number || !kept.isCurrent()) return undefined;
    const fits = !kept.owner || !owner || equalBytes(kept.owner, owner);
    return fits ? kept.tries : undefined;
  }

  /** Keeps tries in place of those before. @param isCurrent - whether they are still those of the place */
  keep(place: TriesPlace, tries: PastTries, isCurrent: () => boolean): PastTries {
    this.#kept = { ...place, tries, isCurrent };
    return tries;
  }
}
