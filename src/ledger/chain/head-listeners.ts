import type { ExecutedBlock, HeadEvent } from "./chain.ts";

/** Subscribers to new heads, and the blocks that left the chain since the last event. */
export class HeadListeners {
  readonly #listeners = new Set<(event: HeadEvent) => void>();
  /** Newest first. */
  #removed: readonly ExecutedBlock[] = [];

  /** Whether blocks have left the chain that no event has named yet. */
  get isBehind(): boolean {
    return this.#removed.length > 0;
  }

  /** @returns the unsubscribe function */
  add(listener: (event: HeadEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records public blocks that left the chain, newest first, for the next event. */
  note(removed: readonly ExecutedBlock[]): void {
    this.#removed = [...removed, ...this.#removed];
  }

  /** Forgets removed blocks, because they are canonical again or the whole chain was replaced. */
  forget(): void {
    this.#removed = [];
  }

  /** Emits an event with the blocks that joined, oldest first, and those that left. */
  emit(added: readonly ExecutedBlock[]): void {
    const event: HeadEvent = { added, removed: this.#removed };
    this.#removed = [];
    for (const listener of this.#listeners) listener(event);
  }
}
