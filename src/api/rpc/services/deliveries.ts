import type { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import type { Text } from "../spec/values/json-text.ts";

/** A receiver of events. */
export interface Subscriber {
  /** @param result JSON text of the event */
  deliver(result: Text): void;
  /** Disconnects a receiver whose events would be far too late. */
  cutOff(): void;
}

interface Delivery {
  readonly result: Text;
  readonly to: readonly Subscriber[];
  /** When it was due, by the monotonic clock. */
  readonly since: number;
}

/** Maximum delay of an event in milliseconds: beyond that the node cannot keep up. */
const MAX_LATE_MS = 30_000;
/** Maximum events waiting, and their characters. */
const MAX_WAITING = 20_000;
const MAX_CHARACTERS = 128 * 1024 * 1024;

/** Delivers events in order, in time slices, so that many subscribers do not block the node. */
export class Deliveries {
  readonly #slice: TimeSlice;
  readonly #onDefect: (error: unknown) => void;
  readonly #waiting: Delivery[] = [];
  #characters = 0;
  /** Subscribers already served with the first event. */
  #done = 0;
  #isRunning = false;

  /** @param onDefect called with what subscribers throw; they are cut off */
  constructor(slice: TimeSlice, onDefect: (error: unknown) => void) {
    this.#slice = slice;
    this.#onDefect = onDefect;
  }

  add(result: Text, to: readonly Subscriber[]): void {
    this.#waiting.push({ result, to, since: performance.now() });
    this.#characters += result.length;
    while (
      this.#waiting.length > 1 &&
      (this.#waiting.length > MAX_WAITING || this.#characters > MAX_CHARACTERS)
    )
      this.#giveUpFirst();
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
          void this.#slice.yield("clients").then(() => this.#run());
          return;
        }
        this.#deliver(first.to[this.#done++] as Subscriber, first.result);
      }
      this.#takeFirst();
    }
    this.#isRunning = false;
  }

  #deliver(subscriber: Subscriber, result: Text): void {
    try {
      subscriber.deliver(result);
    } catch (error) {
      this.#onDefect(error);
      subscriber.cutOff();
    }
  }

  /** Events must not be skipped silently: receivers that missed one are disconnected. */
  #giveUpFirst(): void {
    const rest = this.#waiting[0]?.to.slice(this.#done) ?? [];
    this.#takeFirst();
    for (const subscriber of rest) subscriber.cutOff();
  }

  #takeFirst(): void {
    this.#characters -= this.#waiting.shift()?.result.length ?? 0;
    this.#done = 0;
  }
}
