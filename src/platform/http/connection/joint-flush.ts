/** Milliseconds after which waiting answers are sent before another request is handled. */
const LONGEST_WAIT_MS = 0.5;
/** A request within this many milliseconds after an answer must have arrived before it: no client is that quick. */
const BACK_TO_BACK_MS = 0.02;

/**
 * Sends the small answers of one turn of the event loop together, after the last. Each write wakes its reader, which costs as much
 * as a small answer; this way a client with many connections, or a proxy, is woken once. An answer waits no longer than the
 * request being handled when its time is up, and does not wait at all while requests come one at a time: the end of a turn
 * has a price too.
 */
export class JointFlush {
  #waiting: (() => void)[] = [];
  /** When the first answer began to wait or, while none waits, when the latest was sent. */
  #since = 0;
  #isBusy = false;

  /** Whether several requests come per turn, so that answers wait for its end. */
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

  /** Called when an answer was sent at once. */
  noteSent(): void {
    this.#since = performance.now();
  }

  /** Called before a request is handled: answers that have waited long enough are sent first. */
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
