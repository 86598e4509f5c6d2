import { bytesOfPieces } from "../../../../platform/http/pieces.ts";
import { LongText } from "../../spec/values/json-text.ts";

/** Bytes per piece of digits. */
const PIECE = 64 * 1024;

/** JSON text of bytes as hex, in pieces: as one string, megabytes would be copied repeatedly and scanned for characters to escape. */
export function hexText(bytes: Uint8Array): LongText {
  const pieces: Uint8Array[] = [Buffer.from('"0x')];
  const toBytes = bytesOfPieces(2 * bytes.length);
  for (let at = 0; at < bytes.length; at += PIECE) {
    const { buffer, byteOffset, length } = bytes.subarray(at, at + PIECE);
    pieces.push(toBytes(Buffer.from(buffer, byteOffset, length).toString("hex"), "latin1"));
  }
  pieces.push(Buffer.from('"'));
  return new LongText(pieces);
}
