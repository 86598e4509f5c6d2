import type { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";

/** A receiver of events. */
export interface Subscriber {
  /** @param result JSON text of the event */
  deliver(result: string): void;
  /** Disconnects a receiver whose events would be far too late. */
  cutOff(): void;
}

interface Delivery {
  readonly result: string;
  readonly to: readonly Subscriber[];
  /** When it was due, by the monotonic clock. */
  readonly since: number;
}

/** Milliseconds that an event may be late: beyond that the node cannot keep up. */
const MAX_LATE_MS = 30_000;
/** Events that may wait. */
const MAX_WAITING = 20_000;

/** Delivers events in order, in time slices, so that many subscribers do not block the node. */
export class Deliveries {
  readonly #slice: TimeSlice;
  readonly #onDefect: (error: unknown) => void;
  readonly #waiting: Delivery[] = [];
  /** Subscribers already served with the first event. */
  #done = 0;
  #isRunning = false;

  /** @param onDefect called with what subscribers throw; they are cut off */
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

  /** Events must not be skipped silently: receivers that missed one are disconnected. */
  #giveUpFirst(): void {
    const first = this.#waiting.shift();
    const rest = first?.to.slice(this.#done) ?? [];
    this.#done = 0;
    for (const subscriber of rest) subscriber.cutOff();
  }
}
