/** Runs asynchronous work, a number at a time; the rest waits in the order in which it came. */
export class AtOnce {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param most - that may run at the same time */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether work would have to wait. */
  get isFull(): boolean {
    return this.#running >= this.#most;
  }

  /** The result of the work, once it had its turn. @throws its errors */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
