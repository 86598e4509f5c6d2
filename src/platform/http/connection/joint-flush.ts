/** Milliseconds after which deferred responses are sent before another request is handled. */
const MAX_WAIT_MS = 0.5;
/** A request this many milliseconds after a response must have arrived before it: no client reacts that fast. */
const BACK_TO_BACK_MS = 0.02;

/**
 * Batches the small responses of one turn of the event loop. Each write wakes its reader, which costs as much as a small response;
 * batched, a client with many connections, or a proxy, is woken once. A response waits at most until the request being handled when
 * its time is up is finished, and not at all while requests come one at a time, since `setImmediate` has a cost too.
 */
export class JointFlush {
  #waiting: (() => void)[] = [];
  /** When the oldest deferred response was deferred or, if there is none, when the latest was sent. */
  #since = 0;
  #isBusy = false;

  /** Whether several requests come per turn, so that responses are deferred to its end. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Calls `flush` now, or at the end of this turn if others may follow. */
  add(flush: () => void): void {
    if (!this.#isBusy) {
      flush();
      this.noteSent();
      return;
    }
    if (this.#waiting.length === 0) {
      this.#since = performance.now();
      setImmediate(this.#send);
    }
    this.#waiting.push(flush);
  }

  /** Called when a response was sent immediately. */
  noteSent(): void {
    this.#since = performance.now();
  }

  /** Called before a request is handled: responses deferred for long enough are sent first. */
  beforeRequest(): void {
    const waited = performance.now() - this.#since;
    if (this.#waiting.length > 0) {
      if (waited > MAX_WAIT_MS) this.#send();
    } else if (waited < BACK_TO_BACK_MS) this.#isBusy = true;
  }

  readonly #send = (): void => {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#isBusy = waiting.length > 1;
    this.#waiting = [];
    for (const flush of waiting) flush();
    this.noteSent();
  };
}
