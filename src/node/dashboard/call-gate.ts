/** Lets so many calls be answered at once, and no more. */
export class CallGate {
  readonly #most: number;
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Answers a call, if there is room. @returns undefined where there is none */
  answer<T>(call: () => T | Promise<T>): T | Promise<T> | undefined {
    if (this.#running >= this.#most) return undefined;
    const answer = call();
    if (!(answer instanceof Promise)) return answer;
    this.#running++;
    return answer.finally(() => this.#running--);
  }
}
