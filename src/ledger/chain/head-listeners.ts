import type { ExecutedBlock, HeadEvent } from "./chain.ts";

/** Subscribers to new heads, and the blocks removed since the last event. */
export class HeadListeners {
  readonly #listeners = new Set<(event: HeadEvent) => void>();
  /** Newest first. */
  #removed: readonly ExecutedBlock[] = [];

  /** Whether blocks have been removed that no event has reported yet. */
  get isBehind(): boolean {
    return this.#removed.length > 0;
  }

  /** @returns a function that unsubscribes */
  add(listener: (event: HeadEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records removed public blocks, newest first, for the next event. */
  record(removed: readonly ExecutedBlock[]): void {
    this.#removed = [...removed, ...this.#removed];
  }

  /** Drops the recorded blocks, as they are canonical again or the whole chain was replaced. */
  forget(): void {
    this.#removed = [];
  }

  /** Emits an event with the added blocks, oldest first, and the recorded removed ones. */
  emit(added: readonly ExecutedBlock[]): void {
    const event: HeadEvent = { added, removed: this.#removed };
    this.#removed = [];
    for (const listener of this.#listeners) listener(event);
  }
}
