import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** Back-off after the first failed download from a peer. */
const INITIAL_BACKOFF_MS = 10_000;
/** Each further failure in a row doubles it, up to this; a peer that did not deliver the head it announced gets the maximum immediately. */
const MAX_BACKOFF_MS = 600_000;
/** Maximum number of nodes remembered. */
const MAX_REMEMBERED = 1_000;

interface Backoff {
  readonly ms: number;
  isOver: boolean;
  cancel: Cancel;
}

/** Exponential back-off from nodes whose downloads failed, by identity, so that reconnecting does not reset it. */
export class PeerBackoffs {
  readonly #timers: Timers;
  readonly #onEnd: () => void;
  readonly #nodes = new Map<string, Backoff>();

  /** @param onEnd - called when a back-off ends */
  constructor(timers: Timers, onEnd: () => void) {
    this.#timers = timers;
    this.#onEnd = onEnd;
  }

  /** Whether a peer is being backed off from. */
  has({ id }: ChainPeer): boolean {
    return this.#nodes.get(id)?.isOver === false;
  }

  /** Starts the next back-off from a peer. @param claimedFalsely - it did not deliver the head that it announced */
  add({ id }: ChainPeer, claimedFalsely = false): void {
    const before = this.#nodes.get(id);
    before?.cancel();
    this.#nodes.delete(id);
    for (const [oldest, { cancel }] of this.#nodes) {
      if (this.#nodes.size < MAX_REMEMBERED) break;
      cancel();
      this.#nodes.delete(oldest);
    }
    const ms = claimedFalsely
      ? MAX_BACKOFF_MS
      : Math.min(MAX_BACKOFF_MS, (before?.ms ?? INITIAL_BACKOFF_MS / 2) * 2);
    const entry: Backoff = { ms, isOver: false, cancel: () => {} };
    entry.cancel = this.#timers.schedule(ms, () => {
      entry.isOver = true;
      this.#onEnd();
    });
    this.#nodes.set(id, entry);
  }

  /** Resets a peer that has delivered. */
  reset({ id }: ChainPeer): void {
    this.#nodes.get(id)?.cancel();
    this.#nodes.delete(id);
  }

  /** Cancels all back-offs. */
  clear(): void {
    for (const { cancel } of this.#nodes.values()) cancel();
    this.#nodes.clear();
  }
}
