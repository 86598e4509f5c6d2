import { isLocal, subnetOf } from "./address-rules.ts";

const WINDOW_MS = 1_000;
/** Packets of a second whose signature is checked: of all strangers together, of one subnet, of a local address. */
const MAX_OF_STRANGERS = 500;
const MAX_OF_SUBNET = 20;
const MAX_OF_LOCAL = 200;
/** Packets of a second that come from where known nodes are: from all such places, from one. */
const MAX_OF_ALL_KNOWN = 1_000;
const MAX_OF_KNOWN = 200;

/**
 * Limits of packets processed per second. Sender addresses can be forged, so all strangers together have a limit; known
 * nodes have their own, which strangers cannot use up.
 */
export class PacketLimits {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #known = 0;
  #strangers = 0;
  #windowEnd = 0;

  /** @param now - milliseconds of a clock that is never set back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a packet. @returns whether it may be processed */
  take(host: string, isKnown: boolean): boolean {
    if (this.#now() >= this.#windowEnd) {
      this.#windowEnd = this.#now() + WINDOW_MS;
      this.#counts.clear();
      this.#known = 0;
      this.#strangers = 0;
    }
    const isFull = isKnown ? this.#known >= MAX_OF_ALL_KNOWN : this.#strangers >= MAX_OF_STRANGERS;
    if (isFull) return false;
    const place = isLocal(host) ? host : subnetOf(host);
    const key = isKnown ? `known ${place}` : place;
    const count = this.#counts.get(key) ?? 0;
    if (count >= mostOf(host, isKnown)) return false;
    this.#counts.set(key, count + 1);
    if (isKnown) this.#known++;
    else this.#strangers++;
    return true;
  }
}

function mostOf(host: string, isKnown: boolean): number {
  if (isKnown) return MAX_OF_KNOWN;
  return isLocal(host) ? MAX_OF_LOCAL : MAX_OF_SUBNET;
}
