import type { ViewId } from "../machine/types.ts";
import type { RawConsensusMessage, ValidatorPeer } from "./validator-peer.ts";

/** Proposals decoded per view: a first one with mismatched transactions may be followed by the valid one. */
const MAX_PER_VIEW = 2;
/** Proposals of the current sequence read per peer: enough for some thirty rounds. */
const MAX_PER_PEER = 64;
/** Old proposals whose signatures are checked per peer and sequence. */
const MAX_OLD_PER_PEER = 16;
/** Maximum bytes of undecoded proposals held for the next sequence. */
const MAX_EARLY_BYTES = 32 << 20;

/** A received message and the peer that sent it. */
export interface HeldMessage {
  readonly peer: ValidatorPeer;
  readonly passed: RawConsensusMessage;
}

/**
 * Limits which proposals are read and decoded. A proposal may have 12 MB, all of which is hashed to check its signature, and a member may
 * sign any number of them. The proposer of the next sequence is not known yet: proposals for it are held unread, the latest one per peer.
 */
export class ProposalGate {
  readonly #decoded = new Map<string, number>();
  readonly #checked = new Map<string, string>();
  readonly #read = new Map<string, number>();
  readonly #early = new Map<string, HeldMessage>();
  #earlyBytes = 0;

  /** Whether to read a peer's message that claims to be the proposal of a view. */
  mayRead(peer: string, { sequence, round }: ViewId): boolean {
    return this.#count(peer) <= MAX_PER_PEER && this.#count(`${peer} ${sequence}/${round}`) <= MAX_PER_VIEW;
  }

  /** Whether to check the signature of a peer's proposal for an old sequence. */
  mayReadOld(peer: string): boolean {
    return this.#count(`${peer} old`) <= MAX_OLD_PER_PEER;
  }

  /** Whether to decode a proposal of a view's proposer. */
  mayDecode({ sequence, round }: ViewId): boolean {
    const view = `${sequence}/${round}`;
    const count = (this.#decoded.get(view) ?? 0) + 1;
    this.#decoded.set(view, count);
    return count <= MAX_PER_VIEW;
  }

  /** Whether to execute a block: only the first one of its view, so that equivocation cannot cause many executions. */
  mayCheck({ sequence, round }: ViewId, digest: string): boolean {
    const view = `${sequence}/${round}`;
    const first = this.#checked.get(view) ?? digest;
    this.#checked.set(view, first);
    return first === digest;
  }

  /** Holds a proposal for the next sequence. @returns whether there was room */
  hold(peer: string, message: HeldMessage): boolean {
    const before = this.#early.get(peer)?.passed.payload.length ?? 0;
    const bytes = this.#earlyBytes - before + message.passed.payload.length;
    if (bytes > MAX_EARLY_BYTES) return false;
    this.#earlyBytes = bytes;
    this.#early.set(peer, message);
    return true;
  }

  /** Starts another sequence. @returns the messages held for it */
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
