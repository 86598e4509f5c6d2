import { faultsOf, quorumOf } from "../../../../ledger/extensions/valset/qualified.ts";
import type { ValidatorSets } from "../../../../ledger/extensions/valset/validator-sets.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";
import type { Member, ViewCommittee } from "../machine/types.ts";

/** Number of views whose committees are cached. */
const MAX_REMEMBERED = 64;

/** The committee of each view; members are identified by their addresses in hexadecimal. */
export class ViewCommittees {
  readonly #validators: ValidatorSets;
  readonly #committees = new LruMap<string, ViewCommittee>(MAX_REMEMBERED);
  #qualified: { readonly sequence: number; readonly members: ReadonlySet<Member> } | undefined;

  constructor(validators: ValidatorSets) {
    this.#validators = validators;
  }

  /** The committee of a view; undefined if the state that determines it is pruned, or does not exist yet. */
  of(sequence: number, round: number): ViewCommittee | undefined {
    const key = `${sequence}/${round}`;
    let committee = this.#committees.get(key);
    if (committee !== undefined) return committee;
    try {
      const number = BigInt(sequence);
      const members = this.#validators.committee(number, round).map(bytesToHex);
      const proposer = bytesToHex(this.#validators.proposer(number, round));
      const { length } = members;
      committee = { proposer, members: new Set(members), quorum: quorumOf(length), faults: faultsOf(length) };
    } catch {
      return undefined;
    }
    this.#committees.set(key, committee);
    return committee;
  }

  /** The qualified validators of a sequence, whether or not in a committee. */
  qualified(sequence: number): ReadonlySet<Member> {
    if (this.#qualified?.sequence !== sequence) {
      const members = new Set(this.#validators.qualified(BigInt(sequence)).map(bytesToHex));
      this.#qualified = { sequence, members };
    }
    return this.#qualified.members;
  }

  /** Clears the cache, after a change of the head. */
  forget(): void {
    this.#committees.clear();
    this.#qualified = undefined;
  }
}
