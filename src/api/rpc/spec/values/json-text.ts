import { concat } from "../../../../protocol/primitives/bytes.ts";

const encoder = new TextEncoder();

/** A JSON text built and sent in pieces: joining it into one string would block the thread. */
export class LongText {
  readonly pieces: readonly Uint8Array[];
  readonly length: number;

  constructor(pieces: readonly Uint8Array[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** The same text between two others. */
  within(before: string, after: string): LongText {
    return new LongText([encoder.encode(before), ...this.pieces, encoder.encode(after)]);
  }

  /** As one string, for callers that cannot take pieces. */
  toString(): string {
    return new TextDecoder().decode(concat(...this.pieces));
  }
}

/** JSON text of a response. */
export type Text = string | LongText;

/** A result or an event that is JSON text already, such as a cached block. Handlers may return it. */
export class JsonText {
  readonly text: Text;

  constructor(text: Text) {
    this.text = text;
  }
}
