import type { Cancel, Timers } from "../../../platform/runtime/runtime.ts";
import { keyOf } from "./found-node.ts";
import type { Packet } from "./packets.ts";

/** Time limit of a response. */
const ANSWER_MS = 500;

interface Wait {
  readonly name: Packet["name"];
  readonly key: string;
  readonly host: string;
  /** @returns whether it was the last one that is waited for */
  take(packet: Packet): boolean;
  end(): void;
}

/** Expected packets, by sender and address. */
export class AwaitedPackets {
  readonly #timers: Timers;
  readonly #waits = new Set<Wait>();
  /** Waits of each address. */
  readonly #hosts = new Map<string, number>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * Waits half a second for packets of a node.
   * @param take - called with each; says whether it was the last
   * @returns whether the last one came
   */
  wait<N extends Packet["name"]>(
    name: N,
    from: { readonly id: Uint8Array; readonly host: string },
    take: (packet: Extract<Packet, { name: N }>) => boolean,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      let late: Cancel = () => {};
      const finish = (isComplete: boolean) => {
        late();
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
      late = this.#timers.schedule(ANSWER_MS, wait.end);
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
    let isTaken = false;
    for (const wait of [...this.#waits]) {
      if (wait.name !== packet.name || wait.key !== key || wait.host !== host) continue;
      wait.take(packet);
      isTaken = true;
    }
    return isTaken;
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
