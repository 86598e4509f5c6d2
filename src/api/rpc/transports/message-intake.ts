import type { Allowance } from "../../../platform/http/budget.ts";
import { FREE_BYTES } from "../../../platform/http/connection/body-buffer.ts";

/** Head and mask of a control frame from a client: it never has a longer length. @see RFC 6455, 5.5 */
const CONTROL_HEAD = 6;
/** Milliseconds in which a message must be whole, as a body over HTTP. */
const MOST_MS = 30_000;

/**
 * Counts what a client has sent of a WebSocket message that is not whole. The library keeps it until then, in frames or parts of
 * one, and lets it wait for ever: a few hundred clients could fill the memory with messages that nobody ever answers.
 */
export class MessageIntake {
  readonly #allowance: Allowance;
  /** Bytes since the last whole message, control frames apart. */
  #begun = 0;
  #beganAt = 0;
  #taken = 0;
  /** Whether a message was ended by the bytes that are being read. */
  #wasEnded = false;

  /** @param allowance - of all bodies and messages that are coming in */
  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** A message is whole. */
  end(): void {
    this.#wasEnded = true;
  }

  /** A control frame came, which may stand between the frames of a message. @param length - of its content */
  passOver(length: number): void {
    this.#begun -= CONTROL_HEAD + length;
  }

  /**
   * Bytes were read, and what they end is known. Of those behind the end of a message nothing is: they are fewer than
   * go uncounted anyway.
   * @returns false where all that is coming in takes the memory that it may
   */
  add(bytes: number): boolean {
    const wasWithin = this.#begun > 0;
    this.#begun = this.#wasEnded ? 0 : Math.max(0, this.#begun + bytes);
    this.#wasEnded = false;
    if (!wasWithin) this.#beganAt = performance.now();
    return this.#take(Math.max(0, this.#begun - FREE_BYTES));
  }

  /** Whether a message has been coming in for too long. @param isPaused - then the client could not go on with it */
  isLate(isPaused: boolean): boolean {
    if (this.#begun === 0) return false;
    const now = performance.now();
    if (isPaused) this.#beganAt = now;
    return now - this.#beganAt > MOST_MS;
  }

  /** The client has gone. */
  release(): void {
    this.#take(0);
    this.#begun = 0;
  }

  #take(wanted: number): boolean {
    const more = wanted - this.#taken;
    if (more > 0 && !this.#allowance.take(more)) return false;
    if (more < 0) this.#allowance.give(-more);
    this.#taken = wanted;
    return true;
  }
}
