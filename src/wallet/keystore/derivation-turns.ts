import { watchedByMany } from "../../platform/runtime/signals.ts";
import type { CallerIdentity } from "../../platform/runtime/turns/caller-identity.ts";
import {
  laneOf,
  type QueueLane,
  type WaitFailure,
  WaitQueue,
} from "../../platform/runtime/turns/wait-queue.ts";
import { busy, gone, type WalletError } from "../errors.ts";
import type { Asker } from "../passphrase.ts";

/**
 * Derivations at once: one at standard cost takes 256 MiB and about a second of one core. Callers over the network never take the
 * last place: that is for the owner, on the IPC socket or in this process.
 */
const AT_ONCE = 2;
const MAX_RUNNING: Readonly<Record<QueueLane, number>> = { owner: AT_ONCE, others: AT_ONCE - 1 };
/** How many may wait; one client does not take all places. */
const MAX_WAITING = {
  owner: { waiting: 256, waitingPerClient: 256 },
  others: { waiting: 16, waitingPerClient: 8 },
};

/** Of those who do not go away. */
const NEVER = watchedByMany(new AbortController()).signal;

/**
 * Scheduling of key derivations. The owner has a separate lane: callers over the network fill theirs and are told
 * so, and the owner waits only for the owner's own requests. A client that leaves gives up its turn before it costs anything.
 */
export class DerivationTurns {
  readonly #line = new WaitQueue(MAX_WAITING);
  readonly #running: Record<QueueLane, number> = { owner: 0, others: 0 };
  /** Those with several keys, who stood in line once already. */
  readonly #admitted = new WeakSet<object>();

  /**
   * Runs a task when it is the asker's turn.
   * @param ticket - what several tasks of one call share: it queues for the first of them
   * @throws WalletError `KDF_BUSY` when too many wait, `ASKER_GONE` when the asker left, and what `task` throws
   */
  async run<T>(ticket: { readonly asker: Asker }, task: () => Promise<T>): Promise<T> {
    const { isLocal, signal = NEVER, client } = ticket.asker;
    const standing: CallerIdentity = { isLocal, signal, client };
    if (signal.aborted) throw gone();
    const lane = laneOf(standing);
    const begin = (): void => void this.#running[lane]++;
    if (this.#line.sizeOf(lane) === 0 && this.#mayRun(lane)) begin();
    else await this.#line.wait(standing, { begin, lost, isAdmitted: this.#admitted.has(ticket) });
    this.#admitted.add(ticket);
    try {
      return await task();
    } finally {
      this.#running[lane]--;
      this.#next();
    }
  }

  #mayRun(lane: QueueLane): boolean {
    const { owner, others } = this.#running;
    return this.#running[lane] < MAX_RUNNING[lane] && owner + others < AT_ONCE;
  }

  #next(): void {
    for (const lane of ["owner", "others"] as const) while (this.#mayRun(lane) && this.#line.next(lane));
  }
}

function lost(why: WaitFailure): WalletError {
  return why === "full" || why === "clientFull" ? busy() : gone();
}
