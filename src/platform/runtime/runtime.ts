import type { Files } from "./files.ts";

/** Wall clock and monotonic clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch, for people. It jumps when the system clock is set. */
  now(): number;
  /** Milliseconds since some moment: only for intervals, deadlines and ages. It never jumps or goes back. */
  elapsed(): number;
}

/** Cancels a scheduled call; does nothing once it has run. */
export type Cancel = () => void;

/** Timers. */
export interface Timers {
  /** Calls `callback` once after `delayMs` milliseconds; 0 = as soon as the running code has finished. */
  schedule(delayMs: number, callback: () => void): Cancel;
}

/** Cryptographically secure random bytes (except in a simulation). */
export interface Randomness {
  /** `length` new bytes, owned by the caller. */
  bytes(length: number): Uint8Array;
}

/**
 * The services of the machine. They are injected, so that a whole network can run in one process under virtual time, and every
 * failure can be replayed from a seed.
 */
export interface Runtime {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly randomness: Randomness;
  readonly files: Files;
}
