/** Keys of one request. */
const MOST_KEYS = 100;

/** Fetches by key: keys requested in one turn of the event loop are batched, and none is fetched twice at a time. */
export class Fetcher {
  readonly #fetch: (keys: readonly string[]) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  #waiting: string[] = [];
  #next: Promise<void> | undefined;

  /** @param fetch - gets the values of a group of keys and keeps them where they are looked for */
  constructor(fetch: (keys: readonly string[]) => Promise<void>) {
    this.#fetch = fetch;
  }

  /** Resolves when the value of a key was fetched; rejects when it could not be, and the next call tries again. */
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
    for (let i = 0; i < keys.length; i += MOST_KEYS) await this.#fetch(keys.slice(i, i + MOST_KEYS));
  }
}
