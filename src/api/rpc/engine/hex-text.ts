import { LongText } from "../spec/values/json-text.ts";

/** Bytes whose digits are one piece. */
const PIECE = 64 * 1024;

/** JSON text of bytes as hex, in pieces: megabytes would be copied from text to text, and searched for what has to be escaped. */
export function hexText(bytes: Uint8Array): LongText {
  const pieces: Uint8Array[] = [Buffer.from('"0x')];
  for (let at = 0; at < bytes.length; at += PIECE) {
    const { buffer, byteOffset, length } = bytes.subarray(at, at + PIECE);
    pieces.push(Buffer.from(Buffer.from(buffer, byteOffset, length).toString("hex"), "latin1"));
  }
  pieces.push(Buffer.from('"'));
  return new LongText(pieces);
}
