import type { ExecutedBlock, HeadEvent } from "./chain.ts";

/** Whoever wants to hear of each new head, and what left the chain since they heard last. */
export class HeadListeners {
  readonly #listeners = new Set<(event: HeadEvent) => void>();
  /** Newest first. */
  #removed: readonly ExecutedBlock[] = [];

  /** Whether blocks left that nobody was told of. */
  get isBehind(): boolean {
    return this.#removed.length > 0;
  }

  /** @returns the unsubscribe function */
  add(listener: (event: HeadEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notes public blocks that left the chain, newest first; the next event names them. */
  note(removed: readonly ExecutedBlock[]): void {
    this.#removed = [...removed, ...this.#removed];
  }

  /** Forgets what left: it came back, or nothing of the chain is as it was. */
  forget(): void {
    this.#removed = [];
  }

  /** Tells everybody of the blocks that joined, oldest first, and of those that left. */
  emit(added: readonly ExecutedBlock[]): void {
    const event: HeadEvent = { added, removed: this.#removed };
    this.#removed = [];
    for (const listener of this.#listeners) listener(event);
  }
}
