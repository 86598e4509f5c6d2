import type { CallEvent, NodeEvent } from "../../node/index.ts";

/** Maximum events queued. */
const MAX_EVENTS = 2000;
/** Maximum bytes of queued events, estimated. */
const MAX_BYTES = 8 << 20;
const EVENT_BYTES = 500;

/** A bounded queue of events to be printed; when it is full, further events are dropped and counted. */
export class EventQueue {
  readonly #events: NodeEvent[] = [];
  #bytes = 0;
  #leftOut = 0;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  push(event: NodeEvent): void {
    const bytes = bytesOf(event);
    if (this.#events.length >= MAX_EVENTS || this.#bytes + bytes > MAX_BYTES) {
      this.#leftOut++;
      return;
    }
    this.#bytes += bytes;
    this.#events.push(event);
  }

  /** The oldest; undefined when there is none. */
  take(): NodeEvent | undefined {
    const event = this.#events.shift();
    if (event !== undefined) this.#bytes -= bytesOf(event);
    return event;
  }

  /** Number of events dropped since the last call. */
  takeLeftOut(): number {
    const count = this.#leftOut;
    this.#leftOut = 0;
    return count;
  }
}

/** Approximate size in memory of an event. */
function bytesOf(event: NodeEvent): number {
  if (event.kind === "call") return EVENT_BYTES + lettersOf(event);
  if (event.kind !== "transaction") return EVENT_BYTES;
  const { transaction, output, receipt } = event;
  const logs = receipt.logs.reduce((sum, { data }) => sum + data.length + EVENT_BYTES, 0);
  return EVENT_BYTES + transaction.input.length + (output?.length ?? 0) + logs;
}

function lettersOf({ message = {}, error, console }: CallEvent): number {
  const texts = [...Object.values(message), ...console, error?.message, error?.data];
  return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}
