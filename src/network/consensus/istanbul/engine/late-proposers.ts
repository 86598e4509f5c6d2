import type { Member } from "../machine/types.ts";

/** How many sequences back a proposal is answered with a vote. */
const MAX_SEQUENCES_BEHIND = 8;

/**
 * Limits the votes for old proposals, which help validators that are behind. The reference answers every proposal of any sequence and
 * round: a flood of old ones would make it write and send as many votes.
 */
export class LateProposers {
  readonly #answered = new Set<string>();

  /** Whether a proposal below the current sequence may be answered: once per member and sequence. */
  admit(member: Member, sequence: number, current: number): boolean {
    const place = `${member} ${sequence}`;
    if (sequence < current - MAX_SEQUENCES_BEHIND || this.#answered.has(place)) return false;
    this.#answered.add(place);
    return true;
  }

  /** Resets the limits, after a new block. */
  forget(): void {
    this.#answered.clear();
  }
}
