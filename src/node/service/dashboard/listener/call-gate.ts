/** Limits how many calls are answered at once. */
export class CallGate {
  readonly #limit: number;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Answers a call within that limit. @returns undefined beyond it */
  answer<T>(call: () => T | Promise<T>): T | Promise<T> | undefined {
    if (this.#running >= this.#limit) return undefined;
    const answer = call();
    if (!(answer instanceof Promise)) return answer;
    this.#running++;
    return answer.finally(() => this.#running--);
  }
}
