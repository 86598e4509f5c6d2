import type { CandidateBlock } from "../../../../ledger/chain/execute/candidate-block.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import type { Member, ProposalId } from "../machine/types.ts";

/** The verdict on a proposal. */
export type ProposalFinding =
  | { readonly is: "unchecked" }
  /** It may become valid at this time, in epoch milliseconds. */
  | { readonly is: "future"; readonly fromMs: number }
  | { readonly is: "valid"; readonly candidate: CandidateBlock }
  | { readonly is: "invalid"; readonly reason: string }
  /** Its transactions or sidecars do not match its header: another block with this hash may be valid. */
  | { readonly is: "bodyMismatch"; readonly reason: string };

/** A proposed block, with what is known about it. */
export interface Proposal {
  readonly id: ProposalId;
  /** The block that is checked, with the proposer's seal and its blob sidecars; its round and committed seals are meaningless. */
  block: Block;
  /** Never `bodyMismatch`, which is about one message, not the hash. */
  finding: ProposalFinding;
  /** The check in progress. */
  check: Promise<ProposalFinding> | undefined;
}

/** Maximum number of blocks per member and sequence. */
const MAX_PER_MEMBER = 4;

/** Blocks proposed for the current sequence and the next, a limited number per member. */
export class Proposals {
  readonly #byDigest = new Map<string, Proposal>();
  readonly #counts = new Map<string, number>();

  get(digest: string): Proposal | undefined {
    return this.#byDigest.get(digest);
  }

  /**
   * Stores a block that a member proposes.
   * @returns undefined if the member has proposed too many
   */
  add(id: ProposalId, block: Block, member: Member): Proposal | undefined {
    const before = this.#byDigest.get(id.digest);
    if (before !== undefined) return before;
    const place = `${id.number}/${member}`;
    const count = this.#counts.get(place) ?? 0;
    if (count >= MAX_PER_MEMBER) return undefined;
    this.#counts.set(place, count + 1);
    return this.#keep({ id, block, finding: { is: "unchecked" }, check: undefined });
  }

  /** Stores a block of this node. @param candidate - of a block that this node has drafted */
  addOwn(id: ProposalId, block: Block, candidate?: CandidateBlock): Proposal {
    const finding: ProposalFinding =
      candidate === undefined ? { is: "unchecked" } : { is: "valid", candidate };
    return this.#byDigest.get(id.digest) ?? this.#keep({ id, block, finding, check: undefined });
  }

  /** Forgets the blocks below a number. */
  forgetBelow(number: number): void {
    for (const [digest, { id }] of this.#byDigest) if (id.number < number) this.#byDigest.delete(digest);
    for (const place of this.#counts.keys())
      if (Number(place.slice(0, place.indexOf("/"))) < number) this.#counts.delete(place);
  }

  #keep(proposal: Proposal): Proposal {
    this.#byDigest.set(proposal.id.digest, proposal);
    return proposal;
  }
}
