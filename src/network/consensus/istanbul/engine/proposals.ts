import type { CandidateBlock } from "../../../../ledger/chain/execute/candidate-block.ts";
import type { Block } from "../../../../protocol/block/block.ts";
import type { Member, ProposalId } from "../machine/types.ts";

/** The verdict on a proposal. */
export type ProposalFinding =
  | { readonly is: "unchecked" }
  /** It may become valid at this time, in milliseconds since 1970. */
  | { readonly is: "future"; readonly fromMs: number }
  | { readonly is: "right"; readonly candidate: CandidateBlock }
  | { readonly is: "wrong"; readonly reason: string }
  /** Its transactions or sidecars are not those that its header commits to: another block with this hash may be valid. */
  | { readonly is: "mangled"; readonly reason: string };

/** A proposed block, with what is known of it. */
export interface Proposal {
  readonly id: ProposalId;
  /** The block that is checked, with the proposer's seal and its blob sidecars; its round and committed seals are meaningless. */
  block: Block;
  /** Never `mangled`, which applies to one message, not to the hash. */
  finding: ProposalFinding;
  /** The check in progress. */
  check: Promise<ProposalFinding> | undefined;
}

/** Blocks that one member may propose for one sequence. */
const MOST_OF_A_MEMBER = 4;

/** Blocks proposed for the current sequence and the one after it, a few of each member. */
export class Proposals {
  readonly #byDigest = new Map<string, Proposal>();
  readonly #counts = new Map<string, number>();

  get(digest: string): Proposal | undefined {
    return this.#byDigest.get(digest);
  }

  /**
   * Keeps a block that a member proposes.
   * @returns undefined if that member has proposed too many
   */
  add(id: ProposalId, block: Block, member: Member): Proposal | undefined {
    const before = this.#byDigest.get(id.digest);
    if (before !== undefined) return before;
    const place = `${id.number}/${member}`;
    const count = this.#counts.get(place) ?? 0;
    if (count >= MOST_OF_A_MEMBER) return undefined;
    this.#counts.set(place, count + 1);
    return this.#keep({ id, block, finding: { is: "unchecked" }, check: undefined });
  }

  /** Keeps a block that no peer has sent. @param candidate - that of a block drafted by this node */
  addOwn(id: ProposalId, block: Block, candidate?: CandidateBlock): Proposal {
    const finding: ProposalFinding =
      candidate === undefined ? { is: "unchecked" } : { is: "right", candidate };
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
