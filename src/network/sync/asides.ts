import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import type { ChainPeer } from "./chain-peer.ts";

/** A peer whose blocks could not be fetched is not asked again for this long. */
const FIRST_MS = 10_000;
/** Each further failure in a row doubles that, up to this; a peer that announced a head but did not deliver it gets the maximum at once. */
const LONG_MS = 600_000;
/** Number of nodes remembered. */
const MAX_REMEMBERED = 1_000;

interface Aside {
  readonly ms: number;
  isOver: boolean;
  cancel: Cancel;
}

/** Nodes that are not asked for blocks for a while, by identity, so that a new session does not help them. */
export class Asides {
  readonly #timers: Timers;
  readonly #onEnd: () => void;
  readonly #nodes = new Map<string, Aside>();

  /** @param onEnd - called when a node may be asked again */
  constructor(timers: Timers, onEnd: () => void) {
    this.#timers = timers;
    this.#onEnd = onEnd;
  }

  /** Whether a peer is not to be asked now. */
  has({ id }: ChainPeer): boolean {
    return this.#nodes.get(id)?.isOver === false;
  }

  /** Stops asking a peer for a while. @param claimedFalsely - it announced a head that it did not deliver */
  add({ id }: ChainPeer, claimedFalsely = false): void {
    const before = this.#nodes.get(id);
    before?.cancel();
    this.#nodes.delete(id);
    for (const [oldest, { cancel }] of this.#nodes) {
      if (this.#nodes.size < MAX_REMEMBERED) break;
      cancel();
      this.#nodes.delete(oldest);
    }
    const ms = claimedFalsely ? LONG_MS : Math.min(LONG_MS, (before?.ms ?? FIRST_MS / 2) * 2);
    const entry: Aside = { ms, isOver: false, cancel: () => {} };
    entry.cancel = this.#timers.schedule(ms, () => {
      entry.isOver = true;
      this.#onEnd();
    });
    this.#nodes.set(id, entry);
  }

  /** Forgets a peer's failures, since it has delivered. */
  forgive({ id }: ChainPeer): void {
    this.#nodes.get(id)?.cancel();
    this.#nodes.delete(id);
  }

  /** Forgets all peers. */
  clear(): void {
    for (const { cancel } of this.#nodes.values()) cancel();
    this.#nodes.clear();
  }
}
