import type { LineLane } from "./waiting-line.ts";

/** Slots for concurrent work. However many others have taken, the owner always gets one at once. */
export class Places {
  readonly most: number;
  readonly #taken: Record<LineLane, number> = { owner: 0, others: 0 };

  constructor(most: number) {
    this.most = most;
  }

  get taken(): number {
    return this.#taken.owner + this.#taken.others;
  }

  /** Whether a lane has a free slot. */
  isFree(lane: LineLane): boolean {
    return this.taken < this.most || (lane === "owner" && this.#taken.owner === 0);
  }

  take(lane: LineLane): void {
    this.#taken[lane]++;
  }

  give(lane: LineLane): void {
    this.#taken[lane]--;
  }
}
