import type { TimeSlice } from "../../../platform/runtime/time-slice.ts";

/** Somebody who takes events. */
export interface Subscriber {
  /** @param result JSON text of the event */
  deliver(result: string): void;
  /** Ends the connection of one who would get events late beyond reason. */
  cutOff(): void;
}

interface Delivery {
  readonly result: string;
  readonly to: readonly Subscriber[];
  /** When it was due, by the monotonic clock. */
  readonly since: number;
}

/** Milliseconds that an event may be late: then there are more of them than this node can hand out. */
const MAX_LATE_MS = 30_000;
/** Events that may wait. */
const MAX_WAITING = 20_000;

/** Hands out events in their order, a slice of time after the other, so that many subscribers hold nobody up. */
export class Deliveries {
  readonly #slice: TimeSlice;
  readonly #onDefect: (error: unknown) => void;
  readonly #waiting: Delivery[] = [];
  /** Subscribers of the first one who have theirs. */
  #done = 0;
  #isRunning = false;

  /** @param onDefect told of what subscribers throw; they are cut off */
  constructor(slice: TimeSlice, onDefect: (error: unknown) => void) {
    this.#slice = slice;
    this.#onDefect = onDefect;
  }

  add(result: string, to: readonly Subscriber[]): void {
    this.#waiting.push({ result, to, since: performance.now() });
    if (this.#waiting.length > MAX_WAITING) this.#giveUpFirst();
    if (!this.#isRunning) this.#run();
  }

  #run(): void {
    this.#isRunning = true;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (performance.now() - first.since > MAX_LATE_MS) {
        this.#giveUpFirst();
        continue;
      }
      while (this.#done < first.to.length) {
        if (this.#slice.isDue()) {
          void this.#slice.giveWay("clients").then(() => this.#run());
          return;
        }
        this.#deliver(first.to[this.#done++] as Subscriber, first.result);
      }
      this.#waiting.shift();
      this.#done = 0;
    }
    this.#isRunning = false;
  }

  #deliver(subscriber: Subscriber, result: string): void {
    try {
      subscriber.deliver(result);
    } catch (error) {
      this.#onDefect(error);
      subscriber.cutOff();
    }
  }

  /** An event left out would be a lie: those who have not got it lose their connection. */
  #giveUpFirst(): void {
    const first = this.#waiting.shift();
    const rest = first?.to.slice(this.#done) ?? [];
    this.#done = 0;
    for (const subscriber of rest) subscriber.cutOff();
  }
}
