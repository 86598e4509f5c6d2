import { busy, gone } from "../errors.ts";
import type { Asker } from "../passphrase.ts";

/** How many derivations a lane runs side by side, and how many may wait for that. */
interface Bounds {
  readonly atOnce: number;
  readonly mostWaiting: number;
}

/** A derivation at standard cost takes 256 MiB and about a second of one core. */
const AT_ONCE = 2;
/** Whoever only found a port never takes the last place: that is for the owner, on the IPC socket or in this process. */
const NETWORK: Bounds = { atOnce: AT_ONCE - 1, mostWaiting: 16 };
const LOCAL: Bounds = { atOnce: AT_ONCE, mostWaiting: 256 };

interface Waiter {
  readonly enter: () => void;
}

interface Lane extends Bounds {
  running: number;
  readonly waiting: Waiter[];
}

/**
 * Whose turn it is to derive a key. The owner has a lane of its own: callers over the network fill theirs and are told
 * so, and the owner waits for no more than what the owner asked for. Who goes away gives up the turn before it costs anything.
 */
export class DerivationTurns {
  readonly #local: Lane = { ...LOCAL, running: 0, waiting: [] };
  readonly #network: Lane = { ...NETWORK, running: 0, waiting: [] };
  /** Those with several keys, who stood in line once already. */
  readonly #admitted = new WeakSet<object>();

  /**
   * Runs a task when it is the asker's turn.
   * @param ticket - what several tasks of one call share: it queues for the first of them
   * @throws WalletError `KDF_BUSY` when too many wait, `ASKER_GONE` when the asker left, and what `task` throws
   */
  async run<T>(ticket: { readonly asker: Asker }, task: () => Promise<T>): Promise<T> {
    const lane = ticket.asker.isLocal ? this.#local : this.#network;
    await this.#enter(lane, ticket);
    this.#admitted.add(ticket);
    try {
      return await task();
    } finally {
      lane.running--;
      this.#next();
    }
  }

  async #enter(lane: Lane, ticket: { readonly asker: Asker }): Promise<void> {
    const { signal } = ticket.asker;
    if (signal?.aborted) throw gone();
    if (lane.waiting.length === 0 && this.#mayRun(lane)) {
      lane.running++;
      return;
    }
    if (lane.waiting.length >= lane.mostWaiting && !this.#admitted.has(ticket)) throw busy();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
        reject(gone());
      };
      const waiter: Waiter = {
        enter() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      lane.waiting.push(waiter);
    });
  }

  #mayRun({ running, atOnce }: Lane): boolean {
    return running < atOnce && this.#local.running + this.#network.running < AT_ONCE;
  }

  #next(): void {
    for (const lane of [this.#local, this.#network]) {
      while (lane.waiting.length > 0 && this.#mayRun(lane)) {
        lane.running++;
        lane.waiting.shift()?.enter();
      }
    }
  }
}
