import type { Cancel, Timers } from "../../../platform/runtime/runtime.ts";

/** Packets opened before other work has its turn: some two milliseconds, most of it for signatures. */
export const PACKETS_PER_TURN = 8;
/** Milliseconds until the next turn. */
const TURN_MS = 1;

/**
 * Spreads the packets of a burst over turns of the event loop, in order: the system delivers dozens at once, and most cost two signatures.
 * How many may wait follows from the limits on their rate.
 */
export class PacketTurns {
  readonly #timers: Timers;
  #waiting: (() => void)[] = [];
  #taken = 0;
  #cancel: Cancel | undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Opens a packet now, or in a later turn. */
  take(open: () => void): void {
    if (this.#waiting.length > 0 || this.#taken === PACKETS_PER_TURN) {
      this.#waiting.push(open);
      return;
    }
    this.#taken++;
    this.#cancel ??= this.#timers.schedule(TURN_MS, this.#begin);
    open();
  }

  /** Drops what waits. */
  close(): void {
    this.#cancel?.();
    this.#waiting = [];
  }

  readonly #begin = (): void => {
    const due = this.#waiting.splice(0, PACKETS_PER_TURN);
    this.#taken = due.length;
    this.#cancel = due.length > 0 ? this.#timers.schedule(TURN_MS, this.#begin) : undefined;
    for (const open of due) open();
  };
}
