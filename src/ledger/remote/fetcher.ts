/** Keys per request. */
const MAX_KEYS = 100;

/** Fetches values by key: keys requested in the same turn of the event loop are batched, and concurrent requests shared. */
export class Fetcher {
  readonly #fetch: (keys: readonly string[]) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  #waiting: string[] = [];
  #next: Promise<void> | undefined;

  /** @param fetch - fetches the values of a batch of keys and stores them */
  constructor(fetch: (keys: readonly string[]) => Promise<void>) {
    this.#fetch = fetch;
  }

  /** Resolves when the value of a key has been fetched; rejects if that failed, and the next call tries again. */
  fetch(key: string): Promise<void> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    this.#waiting.push(key);
    this.#next ??= Promise.resolve().then(() => this.#flush());
    const fetched = this.#next.finally(() => this.#running.delete(key));
    this.#running.set(key, fetched);
    return fetched;
  }

  async #flush(): Promise<void> {
    const keys = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    for (let i = 0; i < keys.length; i += MAX_KEYS) await this.#fetch(keys.slice(i, i + MAX_KEYS));
  }
}
