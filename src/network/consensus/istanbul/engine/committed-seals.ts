import type { Member } from "../machine/types.ts";

/** Blocks of one sequence for which one member's seals are kept. */
const MOST_OF_A_MEMBER = 16;

/** Verified committed seals, kept until their block is decided. A seal is for a block, whatever the round. */
export class CommittedSeals {
  readonly #bySequence = new Map<number, Map<Member, Map<string, Uint8Array>>>();

  add(sequence: number, digest: string, member: Member, seal: Uint8Array): void {
    const members = this.#bySequence.get(sequence) ?? new Map<Member, Map<string, Uint8Array>>();
    this.#bySequence.set(sequence, members);
    const seals = members.get(member) ?? new Map<string, Uint8Array>();
    members.set(member, seals);
    if (seals.size < MOST_OF_A_MEMBER) seals.set(digest, seal);
  }

  get(sequence: number, digest: string, member: Member): Uint8Array | undefined {
    return this.#bySequence.get(sequence)?.get(member)?.get(digest);
  }

  forgetBelow(sequence: number): void {
    for (const known of this.#bySequence.keys()) if (known < sequence) this.#bySequence.delete(known);
  }
}
