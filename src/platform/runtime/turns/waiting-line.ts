import { FairQueue } from "./fair-queue.ts";
import type { Standing } from "./standing.ts";

/** The node's owner has a lane of its own and comes first; callers over the network wait in the other one. */
export type LineLane = "owner" | "others";

/** The lane of a waiting caller. */
export function laneOf({ isLocal }: Standing): LineLane {
  return isLocal === true ? "owner" : "others";
}

/** Maximum number waiting in a lane. */
export interface LineBounds {
  readonly waiting: number;
  /** Of one client. */
  readonly waitingOfOne: number;
}

/** Why a turn never comes: too many wait, the caller has left, its time is over, or everything ends. */
export type LostTurn = "full" | "fullOfOne" | "left" | "late" | "closed";

/** How a caller waits. */
export interface Wait<T> {
  /** Longest time of waiting, milliseconds; absent = as long as it takes. */
  readonly timeMs?: number;
  /** Whether it has had a turn and returns for more: it always gets a place. */
  readonly isAdmitted?: boolean;
  /** Called when the turn has come. */
  readonly begin: () => T | PromiseLike<T>;
  /** Errors for a turn that never comes. */
  readonly lost: (why: LostTurn) => Error;
}

interface Waiter {
  readonly isAdmitted: boolean;
  begin(): void;
  lose(why: LostTurn): void;
}

/**
 * A bounded waiting line, served round-robin by client, the owner first. A waiter that leaves, or waits too long, loses its
 * place at once. An arrival at a full line displaces a waiter of the busiest client, which therefore cannot keep
 * out one that asks for little.
 */
export class WaitingLine {
  readonly #bounds: Readonly<Record<LineLane, LineBounds>>;
  readonly #lanes = { owner: new FairQueue<Waiter>(), others: new FairQueue<Waiter>() };

  /** @param bounds - of each lane, or the same of both */
  constructor(bounds: LineBounds | Readonly<Record<LineLane, LineBounds>>) {
    this.#bounds = "owner" in bounds ? bounds : { owner: bounds, others: bounds };
  }

  get size(): number {
    return this.#lanes.owner.size + this.#lanes.others.size;
  }

  /** Number waiting in a lane. */
  sizeOf(lane: LineLane): number {
    return this.#lanes[lane].size;
  }

  /**
   * Waits for a turn, given by `next`.
   * @returns the result of the action
   * @throws what that throws, or the error of a lost turn
   */
  wait<T>(standing: Standing, { timeMs, begin, lost, isAdmitted = false }: Wait<T>): Promise<T> {
    const { signal, client = signal } = standing;
    const lane = this.#lanes[laneOf(standing)];
    const { waiting, waitingOfOne } = this.#bounds[laneOf(standing)];
    if (signal.aborted) return Promise.reject(lost("left"));
    if (!isAdmitted && lane.waitingOf(client) >= waitingOfOne) return Promise.reject(lost("fullOfOne"));
    if (!isAdmitted && lane.size >= waiting) {
      const displaced = lane.displace(lane.waitingOf(client) + 1, (waiter) => !waiter.isAdmitted);
      if (displaced === undefined) return Promise.reject(lost("full"));
      displaced.lose("fullOfOne");
    }
    return new Promise((resolve, reject) => {
      const lose = (why: LostTurn): void => {
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
   * Starts the next one of a lane.
   * @param mayBegin - whether it may be one of this client (where it has none, of this signal)
   * @returns whether there was one
   */
  next(lane: LineLane, mayBegin?: (owner: unknown) => boolean): boolean {
    const waiter = this.#lanes[lane].shift(mayBegin);
    waiter?.begin();
    return waiter !== undefined;
  }

  /** Rejects all waiting callers. */
  close(): void {
    for (const lane of Object.values(this.#lanes)) for (const waiter of lane.drain()) waiter.lose("closed");
  }
}
