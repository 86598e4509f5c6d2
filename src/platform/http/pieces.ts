import { mappedBuffer } from "../runtime/buffers.ts";

/** Maximum bytes of a piece. */
export const PIECE = 256 * 1024;
/**
 * Length of a text, in characters, from which its pieces are mapped. Mapping costs 0.8 ms a megabyte, as much as all else about a
 * response of a few hundred kilobytes, which a client may well ask for a thousand times.
 */
const MAPPED_LENGTH = 1 << 20;

/** A long text in pieces: it is sent without being joined, and each piece is released once sent. */
export interface Pieces {
  readonly pieces: readonly Uint8Array[];
  /** Total bytes. */
  readonly length: number;
}

/**
 * A text as buffers outside the V8 heap, none of them longer than `PIECE`.
 * @param encoding - `latin1` for what is known to be ASCII, which is copied instead of encoded
 * @param whole - length of the text up to here that it is the end of
 */
export function piecesOf(
  text: string,
  encoding: "utf8" | "latin1" = "utf8",
  whole: number = text.length,
): Pieces {
  // A UTF-16 code unit takes up to three bytes in UTF-8.
  const most = encoding === "latin1" ? PIECE : Math.floor(PIECE / 3);
  const toBytes = bytesOfPieces(whole);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const end = at + most < text.length && isHighSurrogate(text, at + most - 1) ? at + most - 1 : at + most;
    const piece = toBytes(text.slice(at, end), encoding);
    pieces.push(piece);
    length += piece.length;
    at = end;
  }
  return { pieces, length };
}

/** How pieces of a text of that length become bytes outside the V8 heap: those of long texts are mapped (`mappedBuffer`). */
export function bytesOfPieces(length: number): (piece: string, encoding: "utf8" | "latin1") => Buffer {
  return length < MAPPED_LENGTH ? Buffer.from : mappedBytes;
}

function mappedBytes(text: string, encoding: "utf8" | "latin1"): Buffer {
  const length = encoding === "latin1" ? text.length : Buffer.byteLength(text);
  const bytes = mappedBuffer(length);
  bytes.write(text, encoding);
  return bytes;
}

/** Whether the other half of a character follows. */
function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}
