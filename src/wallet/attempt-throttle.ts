import type { Cancel, Clock, Timers } from "../platform/runtime/runtime.ts";
import { callerGone, kdfBusy, WalletError } from "./errors.ts";

/** Attempts that are free before delays set in, and how many may run concurrently. */
const FREE_GUESSES = 5;
/** New accounts that a script or a test may need at once. */
const FREE_CREATIONS = 20;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Attempts older than this no longer count. */
const RESET_MS = 600_000;
/** Many concurrent calls are not a sign of guessing, until a passphrase has been wrong. */
const MAX_WAITING = { trusted: 1000, suspect: 16 };

/** Which attempts count. */
export interface ThrottleRule {
  readonly free: number;
  /** Effect of an attempt's outcome on the count. @param error - undefined on success */
  verdict(error: unknown): "counts" | "clears" | "neutral";
}

/** Only wrong passphrases count, and only the right one clears the count; other failures are neutral. */
export const passphraseGuesses: ThrottleRule = {
  free: FREE_GUESSES,
  verdict(error) {
    if (error === undefined) return "clears";
    return error instanceof WalletError && error.code === "WRONG_PASSPHRASE" ? "counts" : "neutral";
  },
};

/** Each new key counts: it costs as much as a guess, and stays on disk. */
export const accountCreations: ThrottleRule = {
  free: FREE_CREATIONS,
  verdict: (error) => (error === undefined ? "counts" : "neutral"),
};

interface Waiter {
  admit(): void;
  reject(error: WalletError): void;
}

/** The attempts on one subject. */
interface Attempts {
  counted: number;
  running: number;
  /** Beyond the free attempts, none begins before this time of the monotonic clock. */
  readyAt: number;
  countedAt: number;
  readonly waiting: Waiter[];
  timer?: Cancel | undefined;
}

/** Dependencies of a throttle. */
export interface ThrottleParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly rule: ThrottleRule;
  /** Called for every attempt that counts. @param count - number of counted attempts so far */
  readonly onCounted?: (subject: string, count: number) => void;
}

/**
 * Rate limit with exponential backoff. After the free attempts on a subject, each further one begins a second after the last one
 * that counted, then two, four, up to a minute; one that clears, or ten minutes after the last that counted, resets the count.
 * Running attempts count as if they had failed already, so that guessing in parallel gains nothing.
 */
export class AttemptThrottle {
  readonly #parts: ThrottleParts;
  readonly #subjects = new Map<string, Attempts>();

  constructor(parts: ThrottleParts) {
    this.#parts = parts;
  }

  /**
   * Runs an attempt when it is its turn.
   * @param signal - aborted when the caller has left: then the attempt is not made
   * @throws WalletError `KDF_BUSY` when too many wait already, `CALLER_GONE`, and what `task` throws
   */
  async attempt<T>(subject: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const attempts = this.#subjects.get(subject) ?? noAttempts();
    this.#subjects.set(subject, attempts);
    try {
      await this.#turn(attempts, signal);
      try {
        const result = await task();
        this.#applyVerdict(subject, attempts, undefined);
        return result;
      } catch (error) {
        this.#applyVerdict(subject, attempts, error);
        throw error;
      } finally {
        attempts.running--;
        this.#next(attempts);
      }
    } finally {
      // Then none waits either: the last to end has let the next begin.
      if (attempts.counted === 0 && attempts.running === 0) this.#subjects.delete(subject);
    }
  }

  /** Rejects waiting attempts; for the shutdown of the node. */
  close(): void {
    for (const attempts of this.#subjects.values()) {
      this.#cancelTimer(attempts);
      for (const { reject } of attempts.waiting.splice(0)) reject(kdfBusy());
    }
  }

  async #turn(attempts: Attempts, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw callerGone();
    this.#resetIfOld(attempts);
    const limit = attempts.counted === 0 ? MAX_WAITING.trusted : MAX_WAITING.suspect;
    if (attempts.waiting.length >= limit) throw kdfBusy();
    await this.#wait(attempts, signal);
  }

  #wait(attempts: Attempts, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        attempts.waiting.splice(attempts.waiting.indexOf(waiter), 1);
        reject(callerGone());
        this.#next(attempts);
      };
      const waiter: Waiter = {
        admit() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
        reject,
      };
      signal?.addEventListener("abort", leave, { once: true });
      attempts.waiting.push(waiter);
      this.#next(attempts);
    });
  }

  /** Concurrently within the free attempts, one at a time afterwards. */
  #mayRun({ counted, running, readyAt }: Attempts): boolean {
    if (counted + running < this.#parts.rule.free) return true;
    return running === 0 && this.#parts.clock.elapsed() >= readyAt;
  }

  /** Starts waiting attempts, now or when the delay is over. */
  #next(attempts: Attempts): void {
    this.#cancelTimer(attempts);
    while (attempts.waiting.length > 0 && this.#mayRun(attempts)) {
      attempts.running++;
      attempts.waiting.shift()?.admit();
    }
    if (attempts.waiting.length === 0 || attempts.running > 0) return;
    const delay = attempts.readyAt - this.#parts.clock.elapsed();
    attempts.timer = this.#parts.timers.schedule(delay, () => this.#next(attempts));
  }

  #cancelTimer(attempts: Attempts): void {
    attempts.timer?.();
    attempts.timer = undefined;
  }

  #applyVerdict(subject: string, attempts: Attempts, error: unknown): void {
    const verdict = this.#parts.rule.verdict(error);
    if (verdict === "counts") this.#count(subject, attempts);
    if (verdict === "clears") attempts.counted = 0;
  }

  #count(subject: string, attempts: Attempts): void {
    const now = this.#parts.clock.elapsed();
    attempts.counted++;
    attempts.countedAt = now;
    const excess = attempts.counted - this.#parts.rule.free;
    if (excess >= 0) attempts.readyAt = now + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** excess);
    this.#parts.onCounted?.(subject, attempts.counted);
  }

  #resetIfOld(attempts: Attempts): void {
    if (this.#parts.clock.elapsed() - attempts.countedAt >= RESET_MS) attempts.counted = 0;
  }
}

function noAttempts(): Attempts {
  return { counted: 0, running: 0, readyAt: 0, countedAt: 0, waiting: [] };
}
