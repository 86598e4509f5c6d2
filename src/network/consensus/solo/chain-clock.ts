import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** An invalid time. */
export class ChainClockError extends NodeError<"TIME_NOT_LATER" | "TIME_TOO_EARLY" | "TIME_TOO_LATE"> {
  override name = "ChainClockError";
}

/**
 * Latest time of JavaScript's dates, in the year 275760. Headers could hold later ones, but no tool could read them.
 */
const MAX_EPOCH_MS = 8_640_000_000_000_000;

/** The settings of a clock. */
export interface ClockSetting {
  /** Current time in epoch milliseconds. */
  readonly nowMs: number;
  /** Time of the next block, in seconds since 1970. */
  readonly nextSeconds: bigint | undefined;
  /** Seconds from each block to the next. */
  readonly intervalSeconds: bigint | undefined;
}

/**
 * The clock of new blocks: the wall clock with an offset. Block times increase by at least one second, so a chain that seals more often
 * runs ahead of its clock.
 */
export class ChainClock {
  readonly #clock: Clock;
  #offsetMs = 0;
  #nextSeconds: bigint | undefined;
  #intervalSeconds: bigint | undefined;

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

  /**
   * Moves the clock forward, or back when `milliseconds` is negative.
   * @returns the new offset in milliseconds
   * @throws ChainClockError after the year 275760
   */
  advance(milliseconds: number): number {
    this.set(this.now() + milliseconds);
    return this.#offsetMs;
  }

  /**
   * Sets the clock; it continues from there.
   * @param epochMs - epoch milliseconds
   * @throws ChainClockError after the year 275760
   */
  set(epochMs: number): void {
    checkReachable(epochMs);
    this.#offsetMs = epochMs - this.#clock.now();
  }

  /**
   * Fixes the time of the next block only; the clock continues from there.
   * @param seconds - since 1970
   * @throws ChainClockError when it is not after the parent's, and after the year 275760
   */
  setNext(seconds: bigint, parent: Header): void {
    if (seconds <= parent.time) {
      const text = `timestamp ${seconds} is not after that of the latest block, ${parent.time}`;
      throw new ChainClockError("TIME_NOT_LATER", text, { have: seconds, parent: parent.time });
    }
    checkReachable(Number(seconds) * 1000);
    this.#nextSeconds = seconds;
  }

  /** Sets a fixed interval in seconds between blocks from now on; undefined lets the clock decide again. */
  setInterval(seconds: bigint | undefined): void {
    this.#intervalSeconds = seconds;
  }

  /** The current settings of the clock, for `restore`. */
  get setting(): ClockSetting {
    return { nowMs: this.now(), nextSeconds: this.#nextSeconds, intervalSeconds: this.#intervalSeconds };
  }

  /** Restores settings; the clock continues from their time. */
  restore({ nowMs, nextSeconds, intervalSeconds }: ClockSetting): void {
    this.set(nowMs);
    this.#nextSeconds = nextSeconds;
    this.#intervalSeconds = intervalSeconds;
  }

  /** Resets the clock to the wall clock. */
  reset(): void {
    this.restore({ nowMs: this.#clock.now(), nextSeconds: undefined, intervalSeconds: undefined });
  }

  /** Epoch milliseconds of the block after `parent`, if it were sealed now. */
  peekNext(parent: Header): number {
    const seconds = this.#fixedTime(parent);
    return seconds === undefined ? this.now() : Number(seconds) * 1000;
  }

  /**
   * Called when the block after `parent` was sealed with the time of `peekNext`: consumes a time fixed by `setNext`, and continues from
   * there. Settings changed meanwhile apply to the next block.
   */
  passNext(parent: Header, epochMs: number): void {
    const seconds = this.#fixedTime(parent);
    if (seconds === undefined || Number(seconds) * 1000 !== epochMs) return;
    this.set(epochMs);
    this.#nextSeconds = undefined;
  }

  #fixedTime(parent: Header): bigint | undefined {
    const interval = this.#intervalSeconds === undefined ? undefined : parent.time + this.#intervalSeconds;
    return this.#nextSeconds ?? interval;
  }
}

function checkReachable(epochMs: number): void {
  if (epochMs < 0) throw new ChainClockError("TIME_TOO_EARLY", "the clock begins in 1970", { wish: epochMs });
  if (epochMs <= MAX_EPOCH_MS) return;
  const [wish, latest] = [epochMs, MAX_EPOCH_MS].map((ms) => BigInt(Math.floor(ms / 1000)));
  const text = `timestamp ${wish} is too late: the clock ends at ${latest}, in the year 275760`;
  throw new ChainClockError("TIME_TOO_LATE", text, { wish, latest });
}
