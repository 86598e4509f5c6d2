import { LongText, type Text } from "../../spec/values/json-text.ts";
import { RpcError } from "../errors.ts";
import { Draft } from "./draft.ts";

/** Maximum length of one response, such as a trace, in characters: 100 MB. */
export const MAX_RESPONSE_LENGTH = 100_000_000;
/** Characters converted at once to bytes outside the heap. */
const PIECE = 64 * 1024;

/** JSON text of a response that is built piece by piece, up to a maximum length. */
export class BoundedText {
  readonly #draft: Draft;
  readonly #max: number;
  #text = "";
  #length = 0;

  /** @param draft - counts its bytes, and only these, while it is built */
  constructor(draft = new Draft(), max = MAX_RESPONSE_LENGTH) {
    this.#draft = draft;
    this.#max = max;
  }

  /** Characters, or bytes for parts added in pieces. */
  get length(): number {
    return this.#length;
  }

  /** @throws RpcError -32003 `response too large`, as in geth; -32005 when too much is buffered for clients */
  add(part: Text): void {
    this.#length += part.length;
    if (this.#length > this.#max) throw responseTooLarge();
    if (typeof part !== "string") {
      this.#cut();
      this.#draft.add(part);
      return;
    }
    this.#text += part;
    if (this.#text.length >= PIECE) this.#cut();
  }

  /** The finished text; nothing may be added afterwards. */
  finish(): Text {
    if (this.#draft.isEmpty) return this.#text;
    this.#cut();
    return new LongText(this.#draft.take());
  }

  #cut(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.#draft.addText(text);
  }
}

/** The response would exceed `MAX_RESPONSE_LENGTH`. */
export function responseTooLarge(): RpcError {
  return new RpcError(-32003, "response too large");
}
