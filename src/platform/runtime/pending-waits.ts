/**
 * Waits that a failure ends. `Promise.race` with a promise that is rejected on failure would do the same, but such a promise keeps each
 * race, and its result, for as long as it lives.
 */
export class PendingWaits {
  readonly #rejects = new Set<(error: Error) => void>();

  /**
   * As `promise`, but rejects with the error of a failure that comes first.
   * @param failure - one that has come already
   */
  unlessFailed<T>(promise: Promise<T>, failure?: Error): Promise<T> {
    return new Promise((resolve, reject) => {
      if (failure !== undefined) reject(failure);
      this.#rejects.add(reject);
      promise.then(resolve, reject).finally(() => this.#rejects.delete(reject));
    });
  }

  /** Rejects all current waits. */
  fail(error: Error): void {
    for (const reject of this.#rejects) reject(error);
    this.#rejects.clear();
  }
}
