import type { Cancel, Timers } from "../../../platform/runtime/runtime.ts";
import { keyOf } from "./found-node.ts";
import type { Packet } from "./packets.ts";

/** Timeout of a reply. */
const REPLY_TIMEOUT_MS = 500;

interface Wait {
  readonly name: Packet["name"];
  readonly key: string;
  readonly host: string;
  /** @returns whether it was the last one */
  take(packet: Packet): boolean;
  end(): void;
}

/** Expected replies, by sender and address. */
export class PendingReplies {
  readonly #timers: Timers;
  readonly #waits = new Set<Wait>();
  /** Number of waits per address. */
  readonly #hosts = new Map<string, number>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Waits half a second for packets of a node.
   * @param take - called with each; returns whether it was the last
   * @returns whether the last one arrived
   */
  wait<N extends Packet["name"]>(
    name: N,
    from: { readonly id: Uint8Array; readonly host: string },
    take: (packet: Extract<Packet, { name: N }>) => boolean,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const finish = (isComplete: boolean) => {
        cancel();
        this.#waits.delete(wait);
        this.#count(from.host, -1);
        resolve(isComplete);
      };
      const wait: Wait = {
        ...{ name, key: keyOf(from.id), host: from.host },
        take(packet) {
          const isLast = take(packet as Extract<Packet, { name: N }>);
          if (isLast) finish(true);
          return isLast;
        },
        end: () => finish(false),
      };
      this.#waits.add(wait);
      this.#count(from.host, 1);
      cancel = this.#timers.schedule(REPLY_TIMEOUT_MS, wait.end);
    });
  }

  /** Whether anything is awaited from an address. */
  hasHost(host: string): boolean {
    return this.#hosts.has(host);
  }

  /** Whether a packet of a kind is awaited from an address. */
  isAwaited(name: Packet["name"], host: string): boolean {
    for (const wait of this.#waits) if (wait.name === name && wait.host === host) return true;
    return false;
  }

  /** Delivers a packet to all waiters. @returns whether there were any */
  take(packet: Packet, id: Uint8Array, host: string): boolean {
    const key = keyOf(id);
    let isExpected = false;
    for (const wait of [...this.#waits]) {
      if (wait.name !== packet.name || wait.key !== key || wait.host !== host) continue;
      wait.take(packet);
      isExpected = true;
    }
    return isExpected;
  }

  /** Cancels all waits. */
  close(): void {
    for (const wait of [...this.#waits]) wait.end();
  }

  #count(host: string, by: number): void {
    const count = (this.#hosts.get(host) ?? 0) + by;
    if (count > 0) this.#hosts.set(host, count);
    else this.#hosts.delete(host);
  }
}
