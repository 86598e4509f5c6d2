import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** A time that a chain cannot go to. */
export class ChainClockError extends NodeError<"TIME_NOT_LATER"> {
  override name = "ChainClockError";
}

/**
 * The time that new blocks get: the wall clock, moved by what developers ask for. Block times rise by at least one
 * second, so a chain that seals more often than that runs ahead of its clock.
 */
export class ChainClock {
  readonly #clock: Clock;
  #offsetMs = 0;
  #nextSeconds: bigint | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#clock.now() + this.#offsetMs;
  }

  /** How far the clock is ahead of the wall clock, in milliseconds; negative when it is behind. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Moves the clock forward, or back when `milliseconds` is negative. @returns the new offset in milliseconds */
  advance(milliseconds: number): number {
    this.#offsetMs += milliseconds;
    return this.#offsetMs;
  }

  /** Sets the clock; it goes on from there. @param epochMs - epoch milliseconds */
  set(epochMs: number): void {
    this.#offsetMs = epochMs - this.#clock.now();
  }

  /**
   * Fixes the time of the next block alone; the clock goes on from there.
   * @param seconds - since 1970
   * @throws ChainClockError when it is not after the parent's
   */
  setNext(seconds: bigint, parent: Header): void {
    if (seconds <= parent.time) {
      const text = `timestamp ${seconds} is not after that of the latest block, ${parent.time}`;
      throw new ChainClockError("TIME_NOT_LATER", text, { have: seconds, parent: parent.time });
    }
    this.#nextSeconds = seconds;
  }

  /** Epoch milliseconds for a block that is about to be made; uses up what `setNext` fixed. */
  takeNext(): number {
    if (this.#nextSeconds !== undefined) {
      this.set(Number(this.#nextSeconds) * 1000);
      this.#nextSeconds = undefined;
    }
    return this.now();
  }
}
