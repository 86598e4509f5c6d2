import { constants } from "node:os";
import { PendingWaits } from "../../platform/runtime/pending-waits.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { DatabaseError } from "./errors.ts";

/** Delay before the first retry after a failed write, and the maximum it doubles up to. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

/** State of the disk: failures are retried, damage is permanent. */
export type Health =
  | { readonly state: "healthy" }
  /** `code` is the system's error code (`ENOSPC`, `EROFS`, `EIO`); `reason` is for people. */
  | { readonly state: "failing" | "damaged"; readonly code: string; readonly reason: string };

const HEALTHY: Health = { state: "healthy" };

/**
 * Whether a database can write. A failed write is retried until it succeeds or the database is closed; meanwhile,
 * operations that would have to wait for it are refused. Once damage has been read, nothing is written any more.
 */
export class DiskHealth {
  readonly #timers: Timers;
  /** By failing part: the log or the engine. */
  readonly #failing = new Map<string, Health>();
  #damage: DatabaseError | undefined;
  readonly #listeners = new Set<(health: Health) => void>();
  readonly #retries = new Set<() => void>();
  readonly #waits = new PendingWaits();
  #isClosed = false;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  get now(): Health {
    if (this.#damage) return { state: "damaged", code: this.#damage.code, reason: this.#damage.message };
    const [failing] = this.#failing.values();
    return failing ?? HEALTHY;
  }

  /** Calls `listener` on every change. @returns a function that unsubscribes it */
  onChange(listener: (health: Health) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @throws DatabaseError `DATABASE_FAILED`, `DATABASE_DAMAGED` while nothing can be written */
  check(): void {
    const error = this.#error();
    if (error) throw error;
  }

  /** @throws DatabaseError `DATABASE_DAMAGED` once damage has been read */
  checkDamage(): void {
    if (this.#damage) throw this.#damage;
  }

  /** As `durable`, but rejects while the disk is failing; what was committed may still become durable later. */
  unlessFailing<T>(durable: Promise<T>): Promise<T> {
    return this.#waits.unlessFailed(durable, this.#error());
  }

  /**
   * Runs a write, retrying until it succeeds; none is started once damage has been read.
   * @param part - what is written: the log or the engine
   * @param repair - called before each retry; if it throws, that retry has failed
   * @throws DatabaseError `DATABASE_DAMAGED`; `DATABASE_FAILED` if the database is closed first
   */
  async retry(part: string, write: () => Promise<void>, repair: () => void = () => {}): Promise<void> {
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(2 * delay, LAST_RETRY_MS)) {
      this.checkDamage();
      try {
        if (delay > FIRST_RETRY_MS) repair();
        await write();
        if (this.#failing.delete(part)) this.#notify();
        return;
      } catch (cause) {
        this.#failing.set(part, faultOf(part, cause as NodeJS.ErrnoException));
        this.#notify();
        if (this.#isClosed) throw this.#error();
        await this.#pause(delay);
        if (this.#isClosed) throw this.#error();
      }
    }
  }

  /** Reports a permanent failure: damage that was read, or a missing folder. */
  reportDamage(error: DatabaseError): void {
    if (this.#damage) return;
    this.#damage = error;
    this.#notify();
  }

  /** Stops all retries. */
  close(): void {
    this.#isClosed = true;
    for (const retry of this.#retries) retry();
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#retries.delete(end);
        resolve();
      };
      const cancel = this.#timers.schedule(delayMs, end);
      this.#retries.add(end);
    });
  }

  #notify(): void {
    const { now } = this;
    for (const listener of this.#listeners) listener(now);
    const error = this.#error();
    if (error) this.#waits.fail(error);
  }

  #error(): DatabaseError | undefined {
    const { now } = this;
    if (this.#damage || now.state === "healthy") return this.#damage;
    const { code, reason } = now;
    return new DatabaseError("DATABASE_FAILED", `the database failed: ${reason}`, { code });
  }
}

function faultOf(part: string, error: NodeJS.ErrnoException): Health {
  const { code = "", errno, message } = error;
  const text = /^E[A-Z]+/.exec(code)?.[0] ?? /^E[A-Z]+/.exec(message)?.[0] ?? nameOf(errno) ?? "EIO";
  const reason = message.includes(text) ? message : `${text}: ${message}`;
  return { state: "failing", code: text, reason: `${part} cannot be written: ${reason}` };
}

/** Name of an error for which Node gives only the number, such as an exceeded disk quota. */
function nameOf(errno: number | undefined): string | undefined {
  return Object.entries(constants.errno).find(([, number]) => number === Math.abs(errno ?? 0))?.[0];
}
