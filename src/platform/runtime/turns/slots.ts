import type { QueueLane } from "./wait-queue.ts";

/** Slots for concurrent work. The node's owner always gets one immediately, however many others are in use. */
export class Slots {
  readonly most: number;
  readonly #taken: Record<QueueLane, number> = { owner: 0, others: 0 };

  constructor(most: number) {
    this.most = most;
  }

  get taken(): number {
    return this.#taken.owner + this.#taken.others;
  }

  /** Whether a lane has a free slot. */
  isFree(lane: QueueLane): boolean {
    return this.taken < this.most || (lane === "owner" && this.#taken.owner === 0);
  }

  take(lane: QueueLane): void {
    this.#taken[lane]++;
  }

  give(lane: QueueLane): void {
    this.#taken[lane]--;
  }
}
