import type { Allowance } from "../../../platform/http/budget.ts";
import { FREE_BYTES } from "../../../platform/http/connection/body-buffer.ts";

/** Header and mask of a control frame from a client, whose length always fits into them. @see RFC 6455, 5.5 */
const CONTROL_HEAD = 6;
/** Bytes of memory that a piece takes in the library besides its own. */
const PIECE_OVERHEAD = 512;
/** Memory that a partial message may take, as a multiple of the longest message: enough for pieces of 300 bytes. */
const MAX_SPREAD = 3;
/** Why a message is refused: the budget for incoming bytes is used up, or its pieces take far more memory than their bytes. */
export type IntakeRefusal = "busy" | "scattered";

/**
 * Counts the memory of a partial WebSocket message. The library buffers its frames, or parts of one, without any time limit:
 * a few hundred clients could fill the memory with messages that are never answered. It keeps them as parts of what was read, so that
 * a byte of the message also holds the control frames around it.
 */
export class MessageIntake {
  readonly #allowance: Allowance;
  readonly #most: number;
  readonly #maxMs: number;
  /** Bytes since the last complete message, without control frames. */
  #partial = 0;
  /** When the first byte of the partial message was read; undefined if there is none. */
  #beganAt: number | undefined;
  /** Bytes read since it began, control frames included. */
  #held = 0;
  #taken = 0;
  /** Whether the bytes being read completed a message. */
  #wasEnded = false;

  /**
   * @param allowance - budget of all incoming bodies and messages
   * @param longest - bytes of the longest message
   * @param seconds - within which a message must be complete, as for a body over HTTP
   */
  constructor(allowance: Allowance, longest: number, seconds: number) {
    this.#allowance = allowance;
    this.#maxMs = seconds * 1000;
    this.#most = MAX_SPREAD * longest + FREE_BYTES;
  }

  /** Whether a message is incomplete: of what is read now, the library keeps parts. */
  get isPartial(): boolean {
    return this.#partial > 0;
  }

  /** A message is complete. */
  end(): void {
    this.#wasEnded = true;
  }

  /** A control frame arrived, possibly between the frames of a message. @param length - of its payload */
  addControlFrame(length: number): void {
    this.#partial -= CONTROL_HEAD + length;
  }

  /**
   * Bytes were read; whether they complete a message is known. Bytes after the end of a message are not known, but are fewer
   * than the uncounted ones anyway.
   * @returns undefined if there is memory for them
   */
  add(bytes: number): IntakeRefusal | undefined {
    this.#partial = this.#wasEnded ? 0 : Math.max(0, this.#partial + bytes);
    this.#wasEnded = false;
    if (this.#partial === 0) this.#beganAt = undefined;
    else this.#beganAt ??= performance.now();
    this.#held = this.#partial === 0 ? 0 : this.#held + bytes + PIECE_OVERHEAD;
    if (this.#held > this.#most) return "scattered";
    return this.#take(Math.max(0, this.#held - FREE_BYTES)) ? undefined : "busy";
  }

  /** Whether a message has been incomplete for too long. @param isPaused - whether the client could not continue */
  isLate(isPaused: boolean): boolean {
    if (this.#beganAt === undefined) return false;
    const now = performance.now();
    if (isPaused) this.#beganAt = now;
    return now - this.#beganAt > this.#maxMs;
  }

  /** The client has disconnected. */
  release(): void {
    this.#take(0);
    this.#partial = 0;
    this.#held = 0;
    this.#beganAt = undefined;
  }

  #take(wanted: number): boolean {
    const more = wanted - this.#taken;
    if (more > 0 && !this.#allowance.take(more)) return false;
    if (more < 0) this.#allowance.give(-more);
    this.#taken = wanted;
    return true;
  }
}
