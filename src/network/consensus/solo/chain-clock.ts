import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { Header } from "../../../protocol/block/header.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";

/** A time that a chain cannot go to. */
export class ChainClockError extends NodeError<"TIME_NOT_LATER" | "TIME_TOO_EARLY" | "TIME_TOO_LATE"> {
  override name = "ChainClockError";
}

/** Latest time that a clock shows, and JavaScript's dates: the year 275760. A header has room for more, but no tool reads it. */
const MAX_EPOCH_MS = 8_640_000_000_000_000;

/** What was asked of a clock. */
export interface ClockSetting {
  /** Epoch milliseconds that the clock shows. */
  readonly nowMs: number;
  /** Time of the next block, in seconds since 1970. */
  readonly nextSeconds: bigint | undefined;
  /** Seconds from each block to the next. */
  readonly intervalSeconds: bigint | undefined;
}

/**
 * The time that new blocks get: the wall clock, moved by what developers ask for. Block times rise by at least one
 * second, so a chain that seals more often than that runs ahead of its clock.
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
   * Sets the clock; it goes on from there.
   * @param epochMs - epoch milliseconds
   * @throws ChainClockError after the year 275760
   */
  set(epochMs: number): void {
    checkReachable(epochMs);
    this.#offsetMs = epochMs - this.#clock.now();
  }

  /**
   * Fixes the time of the next block alone; the clock goes on from there.
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

  /** Spaces all blocks from now on by so many seconds; undefined lets the clock decide again. */
  setInterval(seconds: bigint | undefined): void {
    this.#intervalSeconds = seconds;
  }

  /** What is asked of the clock now, for `restore`. */
  get setting(): ClockSetting {
    return { nowMs: this.now(), nextSeconds: this.#nextSeconds, intervalSeconds: this.#intervalSeconds };
  }

  /** Goes back to a setting: the clock shows its time and goes on from there. */
  restore({ nowMs, nextSeconds, intervalSeconds }: ClockSetting): void {
    this.set(nowMs);
    this.#nextSeconds = nextSeconds;
    this.#intervalSeconds = intervalSeconds;
  }

  /** Forgets all that was asked: the clock is the wall clock again. */
  reset(): void {
    this.restore({ nowMs: this.#clock.now(), nextSeconds: undefined, intervalSeconds: undefined });
  }

  /** Epoch milliseconds for the block after `parent`, were it made now. */
  peekNext(parent: Header): number {
    const seconds = this.#wishFor(parent);
    return seconds === undefined ? this.now() : Number(seconds) * 1000;
  }

  /**
   * The block after `parent` was made with the time that `peekNext` gave: uses up what `setNext` fixed for it, and goes on from
   * there. What was asked for meanwhile is left for the next block.
   */
  passNext(parent: Header, epochMs: number): void {
    const seconds = this.#wishFor(parent);
    if (seconds === undefined || Number(seconds) * 1000 !== epochMs) return;
    this.set(epochMs);
    this.#nextSeconds = undefined;
  }

  #wishFor(parent: Header): bigint | undefined {
    const interval = this.#intervalSeconds === undefined ? undefined : parent.time + this.#intervalSeconds;
    return this.#nextSeconds ?? interval;
  }
}

function checkReachable(epochMs: number): void {
  if (epochMs < 0)
    throw new ChainClockError("TIME_TOO_EARLY", "clocks begin in the year 1970", { wish: epochMs });
  if (epochMs <= MAX_EPOCH_MS) return;
  const [wish, latest] = [epochMs, MAX_EPOCH_MS].map((ms) => BigInt(Math.floor(ms / 1000)));
  const text = `timestamp ${wish} is too late: clocks end at ${latest}, in the year 275760`;
  throw new ChainClockError("TIME_TOO_LATE", text, { wish, latest });
}
