import type { Attempt, Member } from "../machine/types.ts";
import type { PassedMessage } from "./validator-peer.ts";

/** Proposals of one view that are decoded: who has sent one with wrong transactions may send the right ones, too. */
const MOST_OF_A_VIEW = 2;
/** Most bytes of proposals that are kept for the next sequence, as they came. */
const MAX_EARLY_BYTES = 32 << 20;

/** A message and its name among those that were seen. */
export interface HeldMessage {
  readonly passed: PassedMessage;
  readonly hash: string;
}

/**
 * Decides which proposals are worth decoding. A proposal may have 12 MB, a member may sign as many as it likes, and who is to propose
 * the block after the next is known to nobody yet: those wait undecoded, the last one of each member.
 */
export class ProposalGate {
  readonly #decoded = new Map<string, number>();
  readonly #checked = new Map<string, string>();
  readonly #early = new Map<Member, HeldMessage>();
  #earlyBytes = 0;

  /** Whether a proposal of the proposer of a view is decoded. */
  mayDecode({ sequence, round }: Attempt): boolean {
    const view = `${sequence}/${round}`;
    const count = (this.#decoded.get(view) ?? 0) + 1;
    this.#decoded.set(view, count);
    return count <= MOST_OF_A_VIEW;
  }

  /** Whether a block is executed: the first of its view, so that a proposer of several has one executed at a time. */
  mayCheck({ sequence, round }: Attempt, digest: string): boolean {
    const view = `${sequence}/${round}`;
    const first = this.#checked.get(view) ?? digest;
    this.#checked.set(view, first);
    return first === digest;
  }

  /** Keeps a proposal for the next sequence. @returns whether there is room */
  hold(member: Member, message: HeldMessage): boolean {
    const before = this.#early.get(member)?.passed.payload.length ?? 0;
    const bytes = this.#earlyBytes - before + message.passed.payload.length;
    if (bytes > MAX_EARLY_BYTES) return false;
    this.#earlyBytes = bytes;
    this.#early.set(member, message);
    return true;
  }

  /** Begins another sequence. @returns what came early for it */
  begin(): readonly HeldMessage[] {
    const early = [...this.#early.values()];
    this.#early.clear();
    this.#earlyBytes = 0;
    this.#decoded.clear();
    this.#checked.clear();
    return early;
  }
}
