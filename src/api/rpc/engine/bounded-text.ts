import { LongText, type Text } from "../spec/json-text.ts";
import { RpcError } from "./errors.ts";

/** Most characters of one answer, as of a trace: 100 MB. */
export const LONGEST_ANSWER = 100_000_000;
/** Characters that become bytes at once, outside the heap. */
const PIECE = 64 * 1024;

/** JSON text of an answer that is made piece by piece, up to a length. */
export class BoundedText {
  readonly #pieces: Buffer[] = [];
  readonly #most: number;
  #text = "";
  #length = 0;

  constructor(most = LONGEST_ANSWER) {
    this.#most = most;
  }

  /** @throws RpcError -32003 `response too large`, as geth says it */
  add(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#most) throw answerTooLong();
    this.#text += part;
    if (this.#text.length >= PIECE) this.#cut();
  }

  /** What was added; nothing may be added afterwards. */
  finish(): Text {
    if (this.#pieces.length === 0) return this.#text;
    this.#cut();
    return new LongText(this.#pieces);
  }

  #cut(): void {
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = "";
  }
}

/** An answer would be longer than `LONGEST_ANSWER`. */
export function answerTooLong(): RpcError {
  return new RpcError(-32003, "response too large");
}
