import { runSync } from "../runtime/turns/pace.ts";
import { IntakeError } from "./errors.ts";
import { join } from "./join.ts";

/** Pieces that any message may come in. */
const FREE_PIECES = 65_536;
/** Bytes per piece beyond that; servers that send a long message in parts use parts of 1 KiB and more. */
const BYTES_PER_PIECE = 1024;

/**
 * Collects a message that arrives in pieces. Their number is limited too: each is an object of some 150 bytes, even if it holds a
 * single byte.
 */
export class PieceIntake {
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws IntakeError `TOO_LARGE` for too many bytes or pieces; what has arrived is dropped */
  add(piece: Uint8Array): void {
    this.#length += piece.length;
    const count = this.#pieces.push(piece);
    if (this.#length > this.#maxBytes)
      throw this.#tooLarge(`its response has more than ${this.#maxBytes} bytes`);
    if (count > FREE_PIECES + this.#length / BYTES_PER_PIECE)
      throw this.#tooLarge(`its response comes in more than ${FREE_PIECES} pieces`);
  }

  /** The message. The next one begins empty. */
  take(): Buffer {
    const [only] = this.#pieces;
    const bytes = this.#pieces.length === 1 && only ? only : runSync(join(this.#pieces, this.#length));
    this.#clear();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #clear(): void {
    this.#pieces.length = 0;
    this.#length = 0;
  }

  #tooLarge(reason: string): IntakeError {
    this.#clear();
    return new IntakeError("TOO_LARGE", reason);
  }
}
