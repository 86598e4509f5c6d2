import { networkOf } from "../../../platform/runtime/client-network.ts";

/** Duration of a ban. */
const BAN_MS = 600_000;
/** Maximum bans remembered, of identities and of addresses. */
const MAX_REMEMBERED = 10_000;
/** An address, or a /64 of IPv6, is banned after this many bans of identities at it, since new identities are free. */
const MAX_BANS_PER_HOST = 5;

interface Ban {
  count: number;
  until: number;
}

/** Bans of identities and addresses, for ten minutes; the oldest are evicted when there are too many. */
export class Bans {
  readonly #now: () => number;
  readonly #ids = new Map<string, Ban>();
  readonly #hosts = new Map<string, Ban>();

  /** @param now - a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Bans an identity, and counts it against its address. */
  add(id: string, host: string): void {
    this.#record(this.#ids, id);
    this.#record(this.#hosts, networkOf(host));
  }

  /** Whether an identity is banned. */
  has(id: string): boolean {
    return this.#countOf(this.#ids, id) > 0;
  }

  /** Whether an address is banned. */
  hasHost(host: string): boolean {
    return this.#countOf(this.#hosts, networkOf(host)) >= MAX_BANS_PER_HOST;
  }

  #record(bans: Map<string, Ban>, key: string): void {
    const count = this.#countOf(bans, key) + 1;
    bans.delete(key);
    if (bans.size >= MAX_REMEMBERED) bans.delete(bans.keys().next().value as string);
    bans.set(key, { count, until: this.#now() + BAN_MS });
  }

  #countOf(bans: Map<string, Ban>, key: string): number {
    const ban = bans.get(key);
    if (ban === undefined) return 0;
    if (ban.until > this.#now()) return ban.count;
    bans.delete(key);
    return 0;
  }
}
