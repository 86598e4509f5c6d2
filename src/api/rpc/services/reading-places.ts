import { Slots } from "../../../platform/runtime/turns/slots.ts";
import {
  laneOf,
  type QueueLane,
  type WaitFailure,
  WaitQueue,
} from "../../../platform/runtime/turns/wait-queue.ts";
import type { QueuedCaller } from "../spec/method.ts";
import { clientOf, identityOf } from "./caller.ts";

/** Limits of concurrent reads. */
export interface PlaceLimits {
  readonly atOnce: number;
  /** The same per client. */
  readonly atOnceOfOne: number;
  /** Maximum reads waiting for one of these to end. */
  readonly waiting: number;
  /** The same per client. */
  readonly waitingPerClient: number;
}

/** Slots for reads of one kind, and the queue for them. No client may take all of the places. */
export class ReadingPlaces {
  readonly #mostOfOne: number;
  readonly #line: WaitQueue;
  readonly #places: Slots;
  /** How many places each client has taken. */
  readonly #taken = new Map<unknown, number>();

  constructor(limits: PlaceLimits) {
    this.#mostOfOne = limits.atOnceOfOne;
    this.#line = new WaitQueue(limits);
    this.#places = new Slots(limits.atOnce);
  }

  /** Slots that are taken. */
  get running(): number {
    return this.#places.taken;
  }

  /** Number of reads waiting for a place. */
  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Takes a place, at once if one is free.
   * @param timeMs - maximum waiting time
   * @param lost - the error text if none becomes free
   */
  async take(caller: QueuedCaller, timeMs: number, lost: (why: WaitFailure) => Error): Promise<void> {
    const identity = identityOf(caller);
    const lane = laneOf(identity);
    const client = clientOf(caller);
    const begin = (): void => {
      this.#places.take(lane);
      this.#taken.set(client, this.#takenOf(client) + 1);
    };
    if (this.#places.isFree(lane) && this.#mayTake(client)) begin();
    else await this.#line.wait(identity, { timeMs, begin, lost });
  }

  /** Gives a place back, to the next in the queue. */
  give(caller: QueuedCaller): void {
    const client = clientOf(caller);
    this.#places.give(laneOf(identityOf(caller)));
    const left = this.#takenOf(client) - 1;
    if (left > 0) this.#taken.set(client, left);
    else this.#taken.delete(client);
    const next = (lane: QueueLane) => this.#places.isFree(lane) && this.#line.next(lane, this.#mayTake);
    while (next("owner") || next("others"));
  }

  readonly #mayTake = (client: unknown): boolean => this.#takenOf(client) < this.#mostOfOne;

  #takenOf(client: unknown): number {
    return this.#taken.get(client) ?? 0;
  }
}
