import type { Attempt } from "../machine/types.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";

/** Proposals of one view that are decoded: who has sent one with wrong transactions may send the right ones, too. */
const MOST_OF_A_VIEW = 2;
/** Proposals of the current sequence that one peer may bring: those of some thirty rounds. */
const MOST_OF_A_PEER = 64;
/** Proposals below the current sequence of which one peer has the signatures checked, until the next begins. */
const MOST_OLD_OF_A_PEER = 16;
/** Most bytes of proposals that are kept for the next sequence, as they came. */
const MAX_EARLY_BYTES = 32 << 20;

/** A message as it came, and who has brought it. */
export interface HeldMessage {
  readonly peer: ValidatorPeer;
  readonly passed: PassedMessage;
}

/**
 * Decides which proposals are worth reading, and which of these worth decoding. A proposal may have 12 MB, of which each byte is hashed
 * to check its signature; a member may sign as many as it likes, and who is to propose the block after the next is known to nobody
 * yet: those wait unread, the last one of each peer.
 */
export class ProposalGate {
  readonly #decoded = new Map<string, number>();
  readonly #checked = new Map<string, string>();
  readonly #read = new Map<string, number>();
  readonly #early = new Map<string, HeldMessage>();
  #earlyBytes = 0;

  /** Whether what a peer brings as the proposal of a view is looked at any further. */
  mayRead(peer: string, { sequence, round }: Attempt): boolean {
    return (
      this.#count(peer) <= MOST_OF_A_PEER && this.#count(`${peer} ${sequence}/${round}`) <= MOST_OF_A_VIEW
    );
  }

  /** Whether the signature is checked of what a peer brings as a proposal below the current sequence. */
  mayReadOld(peer: string): boolean {
    return this.#count(`${peer} old`) <= MOST_OLD_OF_A_PEER;
  }

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
  hold(peer: string, message: HeldMessage): boolean {
    const before = this.#early.get(peer)?.passed.payload.length ?? 0;
    const bytes = this.#earlyBytes - before + message.passed.payload.length;
    if (bytes > MAX_EARLY_BYTES) return false;
    this.#earlyBytes = bytes;
    this.#early.set(peer, message);
    return true;
  }

  /** Begins another sequence. @returns what came early for it */
  begin(): readonly HeldMessage[] {
    const early = [...this.#early.values()];
    this.#early.clear();
    this.#earlyBytes = 0;
    this.#decoded.clear();
    this.#checked.clear();
    this.#read.clear();
    return early;
  }

  #count(place: string): number {
    const count = (this.#read.get(place) ?? 0) + 1;
    this.#read.set(place, count);
    return count;
  }
}
