import type { Attempt } from "../machine/types.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";

/** Proposals decoded per view: a proposer that has sent wrong transactions may still send the right ones. */
const MOST_OF_A_VIEW = 2;
/** Proposals of the current sequence accepted from one peer: those of some thirty rounds. */
const MOST_OF_A_PEER = 64;
/** Proposals below the current sequence whose signatures are checked for one peer, until the next sequence begins. */
const MOST_OLD_OF_A_PEER = 16;
/** Maximum bytes of undecoded proposals kept for the next sequence. */
const MAX_EARLY_BYTES = 32 << 20;

/** A message as received, and the peer that sent it. */
export interface HeldMessage {
  readonly peer: ValidatorPeer;
  readonly passed: PassedMessage;
}

/**
 * Decides which proposals are worth reading, and which of these worth decoding. A proposal may have 12 MB, all of which is hashed
 * to check its signature; a member may sign as many as it likes, and the proposer of the block after the next is not known
 * yet: such proposals wait unread, the last one of each peer.
 */
export class ProposalGate {
  readonly #decoded = new Map<string, number>();
  readonly #checked = new Map<string, string>();
  readonly #read = new Map<string, number>();
  readonly #early = new Map<string, HeldMessage>();
  #earlyBytes = 0;

  /** Whether what a peer sends as the proposal of a view is examined any further. */
  mayRead(peer: string, { sequence, round }: Attempt): boolean {
    return (
      this.#count(peer) <= MOST_OF_A_PEER && this.#count(`${peer} ${sequence}/${round}`) <= MOST_OF_A_VIEW
    );
  }

  /** Whether the signature of what a peer sends as a proposal below the current sequence is checked. */
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

  /** Whether a block is executed: only the first of its view, so that of several proposals one is executed at a time. */
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

  /** Begins another sequence. @returns the messages that arrived early for it */
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
