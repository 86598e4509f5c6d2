import { isLocal, subnetOf } from "./address-rules.ts";

const WINDOW_MS = 1_000;
/** Packets per second from unknown nodes: in total, per subnet, and per local address. */
const MAX_STRANGERS = 500;
const MAX_PER_SUBNET = 20;
const MAX_PER_LOCAL_HOST = 200;
/** Packets per second from addresses of known nodes: in total, and per subnet. */
const MAX_KNOWN = 1_000;
const MAX_PER_KNOWN_HOST = 200;

/**
 * Rate limits of packets. Source addresses can be spoofed, so all unknown nodes share a limit; known nodes have one of their own, which
 * others cannot exhaust.
 */
export class PacketLimits {
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #known = 0;
  #strangers = 0;
  #windowEnd = 0;

  /** @param now - a monotonic clock, in milliseconds */
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
    const isFull = isKnown ? this.#known >= MAX_KNOWN : this.#strangers >= MAX_STRANGERS;
    if (isFull) return false;
    const place = isLocal(host) ? host : subnetOf(host);
    const key = isKnown ? `known ${place}` : place;
    const count = this.#counts.get(key) ?? 0;
    if (count >= limitOf(host, isKnown)) return false;
    this.#counts.set(key, count + 1);
    if (isKnown) this.#known++;
    else this.#strangers++;
    return true;
  }
}

function limitOf(host: string, isKnown: boolean): number {
  if (isKnown) return MAX_PER_KNOWN_HOST;
  return isLocal(host) ? MAX_PER_LOCAL_HOST : MAX_PER_SUBNET;
}
