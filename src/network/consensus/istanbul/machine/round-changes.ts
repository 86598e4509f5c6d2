import type { Member } from "./types.ts";

/** Maximum rounds counted per member; the lowest are dropped. */
const MAX_PER_MEMBER = 64;

/** Round change votes of the current sequence. */
export class RoundChanges {
  readonly #byRound = new Map<number, Set<Member>>();
  readonly #byMember = new Map<Member, Set<number>>();

  /** Counts a vote. @returns the number of votes for its round */
  add(round: number, member: Member): number {
    const members = this.#byRound.get(round) ?? new Set();
    this.#byRound.set(round, members.add(member));
    const rounds = this.#byMember.get(member) ?? new Set();
    this.#byMember.set(member, rounds.add(round));
    if (rounds.size > MAX_PER_MEMBER) this.#remove(Math.min(...rounds), member);
    return members.size;
  }

  /** The highest round requested by at least `count` members. */
  highest(count: number): number | undefined {
    let highest: number | undefined;
    for (const [round, members] of this.#byRound)
      if (members.size >= count && (highest === undefined || round > highest)) highest = round;
    return highest;
  }

  /** Forgets lower rounds. */
  forgetBelow(round: number): void {
    for (const [other, members] of this.#byRound)
      if (other < round) for (const member of [...members]) this.#remove(other, member);
  }

  #remove(round: number, member: Member): void {
    const members = this.#byRound.get(round);
    members?.delete(member);
    if (members?.size === 0) this.#byRound.delete(round);
    this.#byMember.get(member)?.delete(round);
  }
}
