/** Milliseconds after which what waits is sent before another request is handled. */
const LONGEST_WAIT_MS = 0.5;
/** Milliseconds from an answer to a request below which that had arrived before: no client is that quick. */
const BACK_TO_BACK_MS = 0.02;

/**
 * Sends the small answers of one turn of the event loop together, after the last. Each write wakes who reads it, which costs as much
 * as a small answer does; a client with many connections, or a proxy, is woken once this way. No answer waits for more than
 * the request that is being handled when its time is up, and none waits while requests come one at a time: the end of a turn
 * has a price too.
 */
export class JointFlush {
  #waiting: (() => void)[] = [];
  /** When the first began to wait or, while none does, the latest answer was sent. */
  #since = 0;
  #isBusy = false;

  /** Whether requests come several in a turn, so that answers wait for its end. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Calls `flush` now, or by the end of this turn where others may follow. */
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

  /** An answer was sent at once. */
  noteSent(): void {
    this.#since = performance.now();
  }

  /** A request is about to be handled: what has waited long enough goes first. */
  beforeRequest(): void {
    const waited = performance.now() - this.#since;
    if (this.#waiting.length > 0) {
      if (waited > LONGEST_WAIT_MS) this.#send();
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
