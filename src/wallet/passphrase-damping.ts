import type { Cancel, Clock, Timers } from "../platform/runtime/runtime.ts";
import type { Address } from "../protocol/primitives/bytes.ts";
import { bytesToHex } from "../protocol/primitives/hex.ts";
import { WalletError } from "./errors.ts";

/** Attempts that an account has before they get slow, and how many of them may run side by side. */
const FREE_ATTEMPTS = 5;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Failures this long ago do not count any more. */
const FORGET_MS = 600_000;
/** Many calls at once are no sign of guessing; once a passphrase was wrong they are. */
const MAX_WAITING = { trusted: 1000, suspect: 16 };

interface Waiter {
  enter(): void;
  giveUp(error: WalletError): void;
}

/** What is known of the attempts on one account. */
interface Account {
  failures: number;
  running: number;
  /** No attempt begins before this; epoch milliseconds. */
  readyAt: number;
  failedAt: number;
  readonly waiting: Waiter[];
  wake?: Cancel | undefined;
}

export interface DampingParts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Told of every wrong passphrase. */
  readonly onFailure?: (address: Address, failures: number) => void;
}

/**
 * Slows down who guesses passphrases. After five wrong ones for an account each further attempt begins a second after the
 * last one failed, then two, four, up to a minute; a right one, or ten minutes without an attempt, starts over. Attempts
 * made at once count as if they had failed, so that guessing in parallel gains nothing.
 */
export class PassphraseDamping {
  readonly #parts: DampingParts;
  readonly #accounts = new Map<string, Account>();

  constructor(parts: DampingParts) {
    this.#parts = parts;
  }

  /**
   * Makes an attempt when it is its turn. Only wrong passphrases count, and only the right one clears the account:
   * other failures say nothing about it.
   * @throws WalletError `KDF_BUSY` when too many wait already, and what `task` throws
   */
  async attempt<T>(address: Address, task: () => Promise<T>): Promise<T> {
    const id = bytesToHex(address);
    const account = this.#accounts.get(id) ?? newAccount();
    this.#accounts.set(id, account);
    await this.#turn(account);
    try {
      const result = await task();
      account.failures = 0;
      account.readyAt = 0;
      return result;
    } catch (error) {
      if (error instanceof WalletError && error.code === "WRONG_PASSPHRASE") this.#fail(account, address);
      throw error;
    } finally {
      account.running--;
      this.#next(account);
      if (account.failures === 0 && account.running === 0 && account.waiting.length === 0)
        this.#accounts.delete(id);
    }
  }

  /** Gives up what waits, as the node ends. */
  close(): void {
    for (const account of this.#accounts.values()) {
      this.#sleep(account);
      for (const { giveUp } of account.waiting.splice(0)) giveUp(busy());
    }
  }

  async #turn(account: Account): Promise<void> {
    this.#forgetOld(account);
    if (account.waiting.length === 0 && this.#mayRun(account)) {
      account.running++;
      return;
    }
    const most = account.failures === 0 ? MAX_WAITING.trusted : MAX_WAITING.suspect;
    if (account.waiting.length >= most) throw busy();
    await new Promise<void>((enter, giveUp) => {
      account.waiting.push({ enter, giveUp });
      this.#next(account);
    });
  }

  /** Side by side while few have failed, one by one afterwards. */
  #mayRun({ failures, running, readyAt }: Account): boolean {
    if (failures + running < FREE_ATTEMPTS) return true;
    return running === 0 && this.#parts.clock.now() >= readyAt;
  }

  /** Lets in those who wait, now or when the delay is over. */
  #next(account: Account): void {
    this.#sleep(account);
    while (account.waiting.length > 0 && this.#mayRun(account)) {
      account.running++;
      account.waiting.shift()?.enter();
    }
    if (account.waiting.length === 0 || account.running > 0) return;
    const delay = Math.max(0, account.readyAt - this.#parts.clock.now());
    account.wake = this.#parts.timers.schedule(delay, () => this.#next(account));
  }

  #sleep(account: Account): void {
    account.wake?.();
    account.wake = undefined;
  }

  #fail(account: Account, address: Address): void {
    const now = this.#parts.clock.now();
    account.failures++;
    account.failedAt = now;
    const excess = account.failures - FREE_ATTEMPTS;
    if (excess >= 0) account.readyAt = now + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** excess);
    this.#parts.onFailure?.(address, account.failures);
  }

  #forgetOld(account: Account): void {
    if (account.running > 0 || this.#parts.clock.now() - account.failedAt < FORGET_MS) return;
    account.failures = 0;
    account.readyAt = 0;
  }
}

function newAccount(): Account {
  return { failures: 0, running: 0, readyAt: 0, failedAt: 0, waiting: [] };
}

function busy(): WalletError {
  return new WalletError("KDF_BUSY", "busy: too many passphrases are being checked");
}
