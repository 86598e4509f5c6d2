import { UnsentBytes } from "../../../../platform/http/budget.ts";
import { type Pieces, piecesOf } from "../../../../platform/http/pieces.ts";
import type { Holder } from "../../../../platform/runtime/shared-bytes.ts";
import { limitExceeded } from "../errors.ts";

/**
 * The bytes of an answer being built. They count towards the bytes that clients have yet to read, and are discarded when that
 * total is too large: an answer waiting for its next turn holds memory just like one that nobody reads.
 */
export class Draft implements Holder {
  readonly owner: unknown;
  readonly #unsent: UnsentBytes;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isCut = false;

  /** @param unsent - of all clients; absent = not counted @param owner - the connection that the answer is for */
  constructor(unsent = new UnsentBytes(Number.POSITIVE_INFINITY), owner?: object) {
    this.#unsent = unsent;
    this.owner = owner ?? this;
  }

  /** Whether it is still empty. */
  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Adds a text as bytes. @throws RpcError -32005 when too much is buffered for clients, most of it for this connection */
  addText(text: string): void {
    this.add(piecesOf(text, "utf8", this.#bytes + text.length));
  }

  /** Adds a text that is already in pieces. @throws RpcError -32005 as `addText` */
  add({ pieces, length }: Pieces): void {
    if (!this.#isCut) {
      for (const piece of pieces) this.#pieces.push(piece);
      this.#bytes += length;
      this.#unsent.set(this, this.#bytes);
    }
    if (this.#isCut) throw limitExceeded("too many responses wait to be read: request less, or retry later");
  }

  /** Hands over the response so far, which no longer counts. */
  take(): Uint8Array[] {
    const pieces = this.#pieces;
    this.clear();
    return pieces;
  }

  /** Discards the response so far. */
  clear(): void {
    if (this.#bytes > 0) this.#unsent.set(this, 0);
    this.#pieces = [];
    this.#bytes = 0;
  }

  cutOff(): void {
    this.#isCut = true;
    this.#unsent.noteCut();
    this.clear();
  }
}
