import type { Cancel, Clock, Timers } from "../platform/runtime/runtime.ts";
import { busy, gone, WalletError } from "./errors.ts";

/** Attempts that are free before delays set in, and how many may run concurrently. */
const FREE_GUESSES = 5;
/** New accounts that a script or a test may need at once. */
const FREE_CREATIONS = 20;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Attempts older than this no longer count. */
const FORGET_MS = 600_000;
/** Many concurrent calls are not a sign of guessing, until a passphrase has been wrong. */
const MAX_WAITING = { trusted: 1000, suspect: 16 };

/** Which attempts count. */
export interface DampingRule {
  readonly free: number;
  /** How an attempt ended: it `counts`, clears the count, or is neutral. @param error - undefined on success */
  verdict(error: unknown): "counts" | "clears" | "says nothing";
}

/** Only wrong passphrases count, and only the right one clears the account: other failures say nothing about it. */
export const guesses: DampingRule = {
  free: FREE_GUESSES,
  verdict(error) {
    if (error === undefined) return "clears";
    return error instanceof WalletError && error.code === "WRONG_PASSPHRASE" ? "counts" : "says nothing";
  },
};

/** Each new key counts: it costs as much as a guess, and stays on the disk. */
export const creations: DampingRule = {
  free: FREE_CREATIONS,
  verdict: (error) => (error === undefined ? "counts" : "says nothing"),
};

interface Waiter {
  enter(): void;
  giveUp(error: WalletError): void;
}

/** The attempts on one subject. */
interface Attempts {
  counted: number;
  running: number;
  /** No attempt begins before this; epoch milliseconds. */
  readyAt: number;
  countedAt: number;
  readonly waiting: Waiter[];
  wake?: Cancel | undefined;
}

/** What damping measures time with, its rule, and whom it tells. */
export interface DampingParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly rule: DampingRule;
  /** Called for every attempt that counts. @param count - how many there were */
  readonly onCounted?: (subject: string, count: number) => void;
}

/**
 * Slows down callers that ask too often. After the free attempts on a subject, each further one begins a second after the last one
 * that counted, then two, four, up to a minute; one that clears, or ten minutes without an attempt, starts over.
 * Attempts made at once count as if they had ended already, so that doing it in parallel gains nothing.
 */
export class Damping {
  readonly #parts: DampingParts;
  readonly #subjects = new Map<string, Attempts>();

  constructor(parts: DampingParts) {
    this.#parts = parts;
  }

  /**
   * Makes an attempt when it is its turn.
   * @param signal - aborted when nobody waits any more: then the attempt is not made
   * @throws WalletError `KDF_BUSY` when too many wait already, `ASKER_GONE`, and what `task` throws
   */
  async attempt<T>(subject: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const attempts = this.#subjects.get(subject) ?? noAttempts();
    this.#subjects.set(subject, attempts);
    try {
      await this.#turn(attempts, signal);
      try {
        const result = await task();
        this.#judge(subject, attempts, undefined);
        return result;
      } catch (error) {
        this.#judge(subject, attempts, error);
        throw error;
      } finally {
        attempts.running--;
        this.#next(attempts);
      }
    } finally {
      const { counted, running, waiting } = attempts;
      if (counted === 0 && running === 0 && waiting.length === 0) this.#subjects.delete(subject);
    }
  }

  /** Rejects waiting attempts, as the node stops. */
  close(): void {
    for (const attempts of this.#subjects.values()) {
      this.#sleep(attempts);
      for (const { giveUp } of attempts.waiting.splice(0)) giveUp(busy());
    }
  }

  async #turn(attempts: Attempts, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) throw gone();
    this.#forgetOld(attempts);
    if (attempts.waiting.length === 0 && this.#mayRun(attempts)) {
      attempts.running++;
      return;
    }
    const most = attempts.counted === 0 ? MAX_WAITING.trusted : MAX_WAITING.suspect;
    if (attempts.waiting.length >= most) throw busy();
    await this.#wait(attempts, signal);
  }

  #wait(attempts: Attempts, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        attempts.waiting.splice(attempts.waiting.indexOf(waiter), 1);
        reject(gone());
        this.#next(attempts);
      };
      const waiter: Waiter = {
        enter() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
        giveUp(error) {
          signal?.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      attempts.waiting.push(waiter);
      this.#next(attempts);
    });
  }

  /** Concurrent while few have counted, one at a time afterwards. */
  #mayRun({ counted, running, readyAt }: Attempts): boolean {
    if (counted + running < this.#parts.rule.free) return true;
    return running === 0 && this.#parts.clock.elapsed() >= readyAt;
  }

  /** Lets in those who wait, now or when the delay is over. */
  #next(attempts: Attempts): void {
    this.#sleep(attempts);
    while (attempts.waiting.length > 0 && this.#mayRun(attempts)) {
      attempts.running++;
      attempts.waiting.shift()?.enter();
    }
    if (attempts.waiting.length === 0 || attempts.running > 0) return;
    const delay = Math.max(0, attempts.readyAt - this.#parts.clock.elapsed());
    attempts.wake = this.#parts.timers.schedule(delay, () => this.#next(attempts));
  }

  #sleep(attempts: Attempts): void {
    attempts.wake?.();
    attempts.wake = undefined;
  }

  #judge(subject: string, attempts: Attempts, error: unknown): void {
    const verdict = this.#parts.rule.verdict(error);
    if (verdict === "counts") this.#count(subject, attempts);
    if (verdict !== "clears") return;
    attempts.counted = 0;
    attempts.readyAt = 0;
  }

  #count(subject: string, attempts: Attempts): void {
    const now = this.#parts.clock.elapsed();
    attempts.counted++;
    attempts.countedAt = now;
    const excess = attempts.counted - this.#parts.rule.free;
    if (excess >= 0) attempts.readyAt = now + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** excess);
    this.#parts.onCounted?.(subject, attempts.counted);
  }

  #forgetOld(attempts: Attempts): void {
    if (attempts.running > 0 || this.#parts.clock.elapsed() - attempts.countedAt < FORGET_MS) return;
    attempts.counted = 0;
    attempts.readyAt = 0;
  }
}

function noAttempts(): Attempts {
  return { counted: 0, running: 0, readyAt: 0, countedAt: 0, waiting: [] };
}
