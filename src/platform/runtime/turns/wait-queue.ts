import type { CallerIdentity } from "./caller-identity.ts";
import { FairQueue } from "./fair-queue.ts";

/** The node's owner has a lane of its own, served first; callers over the network wait in the other one. */
export type QueueLane = "owner" | "others";

/** The lane of a waiting caller. */
export function laneOf({ isLocal }: CallerIdentity): QueueLane {
  return isLocal === true ? "owner" : "others";
}

/** Maximum number waiting in a lane. */
export interface QueueLimits {
  readonly waiting: number;
  /** Maximum number of one client. */
  readonly waitingPerClient: number;
}

/** Why a wait failed: the queue or the client's share is full, the caller disconnected, it timed out, or the queue was closed. */
export type WaitFailure = "full" | "clientFull" | "left" | "late" | "closed";

/** How a caller waits. */
export interface Wait<T> {
  /** Timeout in milliseconds; absent = none. */
  readonly timeMs?: number;
  /** Whether it had a turn before and needs another: it is always queued, and never evicted. */
  readonly isAdmitted?: boolean;
  /** Called when it is the caller's turn. */
  readonly begin: () => T | PromiseLike<T>;
  /** The error for a failed wait. */
  readonly lost: (why: WaitFailure) => Error;
}

interface Waiter {
  readonly isAdmitted: boolean;
  begin(): void;
  lose(why: WaitFailure): void;
}

/**
 * A bounded queue of callers, served round-robin by client, the owner first. A caller that disconnects or times out leaves at once.
 * When the queue is full, a new caller evicts one of the client with the most waiting, so that a busy client cannot keep out a
 * modest one.
 */
export class WaitQueue {
  readonly #bounds: Readonly<Record<QueueLane, QueueLimits>>;
  readonly #lanes = { owner: new FairQueue<Waiter>(), others: new FairQueue<Waiter>() };

  /** @param bounds - of each lane, or the same of both */
  constructor(bounds: QueueLimits | Readonly<Record<QueueLane, QueueLimits>>) {
    this.#bounds = "owner" in bounds ? bounds : { owner: bounds, others: bounds };
  }

  get size(): number {
    return this.#lanes.owner.size + this.#lanes.others.size;
  }

  /** Number waiting in a lane. */
  sizeOf(lane: QueueLane): number {
    return this.#lanes[lane].size;
  }

  /**
   * Waits for a turn, given by `next`.
   * @returns the result of the action
   * @throws any error of the action, or the error for a failed wait
   */
  wait<T>(standing: CallerIdentity, { timeMs, begin, lost, isAdmitted = false }: Wait<T>): Promise<T> {
    const { signal, client = signal } = standing;
    const lane = this.#lanes[laneOf(standing)];
    const { waiting, waitingPerClient } = this.#bounds[laneOf(standing)];
    if (signal.aborted) return Promise.reject(lost("left"));
    if (!isAdmitted && lane.countOf(client) >= waitingPerClient) return Promise.reject(lost("clientFull"));
    if (!isAdmitted && lane.size >= waiting) {
      const displaced = lane.displace(lane.countOf(client) + 1, (waiter) => !waiter.isAdmitted);
      if (displaced === undefined) return Promise.reject(lost("full"));
      displaced.lose("clientFull");
    }
    return new Promise((resolve, reject) => {
      const lose = (why: WaitFailure): void => {
        settle();
        lane.remove(client, waiter);
        reject(lost(why));
      };
      const leave = (): void => lose("left");
      const timer = timeMs === undefined ? undefined : setTimeout(() => lose("late"), timeMs);
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
      };
      const waiter: Waiter = {
        isAdmitted,
        lose,
        begin() {
          settle();
          try {
            resolve(begin());
          } catch (error) {
            reject(error);
          }
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      lane.push(client, waiter);
    });
  }

  /**
   * Starts the next caller of a lane.
   * @param mayBegin - whether a client (or, without one, a signal) may have a turn
   * @returns whether there was one
   */
  next(lane: QueueLane, mayBegin?: (owner: unknown) => boolean): boolean {
    const waiter = this.#lanes[lane].shift(mayBegin);
    waiter?.begin();
    return waiter !== undefined;
  }

  /** Rejects all waiting callers. */
  close(): void {
    for (const lane of Object.values(this.#lanes)) for (const waiter of lane.drain()) waiter.lose("closed");
  }
}
