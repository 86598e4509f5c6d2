import type { Member } from "../machine/types.ts";

/** How far back a proposal is answered by a vote. */
const MOST_BEHIND = 8;

/**
 * Validators that propose blocks the chain already has, and are helped by a vote. The reference answers each proposal of any
 * sequence and round; otherwise a sender of many old ones could make it write and send as many votes.
 */
export class LateProposers {
  readonly #heard = new Set<string>();

  /** Whether a proposal below the current sequence may be answered: once per member and sequence. */
  admit(member: Member, sequence: number, current: number): boolean {
    const place = `${member} ${sequence}`;
    if (sequence < current - MOST_BEHIND || this.#heard.has(place)) return false;
    this.#heard.add(place);
    return true;
  }

  /** After a new block, members that are still behind may be helped again. */
  forget(): void {
    this.#heard.clear();
  }
}
