import type { Member } from "../machine/types.ts";

/** Maximum number of blocks per sequence for which a member's seals are kept. */
const MAX_PER_MEMBER = 16;

/** Verified committed seals, kept until their sequence is decided. A seal is for a block, independent of the round. */
export class CommittedSeals {
  readonly #bySequence = new Map<number, Map<Member, Map<string, Uint8Array>>>();

  add(sequence: number, digest: string, member: Member, seal: Uint8Array): void {
    const members = this.#bySequence.get(sequence) ?? new Map<Member, Map<string, Uint8Array>>();
    this.#bySequence.set(sequence, members);
    const seals = members.get(member) ?? new Map<string, Uint8Array>();
    members.set(member, seals);
    if (seals.size < MAX_PER_MEMBER) seals.set(digest, seal);
  }

  get(sequence: number, digest: string, member: Member): Uint8Array | undefined {
    return this.#bySequence.get(sequence)?.get(member)?.get(digest);
  }

  forgetBelow(sequence: number): void {
    for (const known of this.#bySequence.keys()) if (known < sequence) this.#bySequence.delete(known);
  }
}
