import { networkOf } from "../../../platform/runtime/client-network.ts";
import type { ByteStream } from "../../../platform/runtime/network.ts";

/** Default maximum of pending inbound connections. */
const DEFAULT_PENDING = 50;
/** One network may have a quarter of them. */
const SHARE = 4;
/** An honest handshake takes less, in milliseconds. */
const SLOW_MS = 1_000;

interface Pending {
  readonly network: string;
  readonly sinceMs: number;
}

/**
 * The places of inbound connections in the handshake. They are shared by network (an IPv4 address, a /64), since who has one address of a
 * /64 has them all. When none is free, a newcomer gets the oldest one of the network that has the most, so that handshakes that are
 * begun and held open lock nobody out.
 */
export class PendingConnections {
  readonly #most: number;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #pending = new Map<ByteStream, Pending>();

  /**
   * @param most - 0 = 50
   * @param now - a monotonic clock, in milliseconds
   */
  constructor(most: number, now: () => number) {
    this.#most = most || DEFAULT_PENDING;
    this.#now = now;
  }

  [Symbol.iterator](): Iterator<ByteStream> {
    return this.#pending.keys();
  }

  /** Takes a place, closing another connection for it if necessary. @returns whether there was one */
  enter(stream: ByteStream): boolean {
    const network = networkOf(stream.remote.host);
    const counts = new Map<string, number>();
    for (const each of this.#pending.values()) counts.set(each.network, (counts.get(each.network) ?? 0) + 1);
    const own = counts.get(network) ?? 0;
    if (own >= Math.ceil(this.#most / SHARE)) return false;
    if (this.#pending.size >= this.#most && !this.#displace(own, counts)) return false;
    this.#pending.set(stream, { network, sinceMs: this.#now() });
    return true;
  }

  leave(stream: ByteStream): void {
    this.#pending.delete(stream);
  }

  /** Closes the oldest connection of the network with the most, if it has more than a newcomer's would have, or has been slow. */
  #displace(own: number, counts: ReadonlyMap<string, number>): boolean {
    const most = Math.max(...counts.values());
    if (most <= own) return false;
    for (const [stream, { network, sinceMs }] of this.#pending) {
      if (counts.get(network) !== most) continue;
      if (most === own + 1 && this.#now() - sinceMs < SLOW_MS) return false;
      this.leave(stream);
      stream.close(true);
      return true;
    }
    return false;
  }
}
