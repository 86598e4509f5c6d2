import { LongText, type Text } from "../spec/values/json-text.ts";
import { RpcError } from "./errors.ts";

/** Maximum length of one response, such as a trace, in characters: 100 MB. */
export const LONGEST_ANSWER = 100_000_000;
/** Characters converted at once to bytes outside the heap. */
const PIECE = 64 * 1024;

/** JSON text of a response that is built piece by piece, up to a maximum length. */
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

  /** The finished text; nothing may be added afterwards. */
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

/** The response would exceed `LONGEST_ANSWER`. */
export function answerTooLong(): RpcError {
  return new RpcError(-32003, "response too large");
}
