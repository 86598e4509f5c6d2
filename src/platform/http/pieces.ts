/** Maximum bytes of a piece. */
export const PIECE = 256 * 1024;

/** A long text in pieces: it is sent without being joined, and each piece is released once sent. */
export interface Pieces {
  readonly pieces: readonly Uint8Array[];
  /** Total bytes. */
  readonly length: number;
}

/**
 * A text as buffers outside the V8 heap, none of them longer than `PIECE`.
 * @param encoding - `latin1` for what is known to be ASCII, which is copied instead of encoded
 */
export function piecesOf(text: string, encoding: "utf8" | "latin1" = "utf8"): Pieces {
  // A UTF-16 code unit takes up to three bytes in UTF-8.
  const most = encoding === "latin1" ? PIECE : Math.floor(PIECE / 3);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const end = at + most < text.length && isHighSurrogate(text, at + most - 1) ? at + most - 1 : at + most;
    const piece = Buffer.from(text.slice(at, end), encoding);
    pieces.push(piece);
    length += piece.length;
    at = end;
  }
  return { pieces, length };
}

/** Whether the other half of a character follows. */
function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}
