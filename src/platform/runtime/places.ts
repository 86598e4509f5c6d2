import type { LineLane } from "./waiting-line.ts";

/** Places for work that goes on side by side. However many others have taken, one of the owner's has a place at once. */
export class Places {
  readonly most: number;
  readonly #taken: Record<LineLane, number> = { owner: 0, others: 0 };

  constructor(most: number) {
    this.most = most;
  }

  get taken(): number {
    return this.#taken.owner + this.#taken.others;
  }

  /** Whether there is a place for one of a lane. */
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
