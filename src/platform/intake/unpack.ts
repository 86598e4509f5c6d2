import { pipeline, Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import { atPace, type Pace } from "../runtime/turns/pace.ts";
import { IntakeError } from "./errors.ts";
import { join } from "./join.ts";

/** Bytes unpacked at a time. */
const UNZIP_CHUNK = 1 << 20;

/** Whether bytes begin as a gzip archive does. @see RFC 1952 */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Unpacks gzip piece by piece, only as far as it is read: the claimed size of an archive costs nothing.
 * @throws IntakeError `DAMAGED` if the archive is broken, rather than the disk it is read from
 */
export async function* unpackedPieces(
  archive: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    // The pipeline's callback is where a broken archive ends; the loop throws the same error.
    yield* pipeline(Readable.from(archive), createGunzip({ chunkSize: UNZIP_CHUNK }), () => {});
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new IntakeError("DAMAGED", `damaged archive: ${cause.message}`, {}, { cause });
  }
}

/**
 * Bytes as they are, or unpacked when they are gzip, at a pace.
 * @param most - bytes of the whole, unpacked
 * @throws IntakeError `TOO_LARGE` as soon as there is more, `DAMAGED`
 */
export async function unpackedWithin(bytes: Uint8Array, most: number, pace: Pace): Promise<Uint8Array> {
  const tooLarge = () => new IntakeError("TOO_LARGE", `more than ${most} bytes`, { most });
  if (!isGzip(bytes)) {
    if (bytes.length > most) throw tooLarge();
    return bytes;
  }
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of unpackedPieces([bytes])) {
    total += piece.length;
    if (total > most) throw tooLarge();
    pieces.push(piece);
  }
  return atPace(pace, join(pieces, total));
}

/** Unpacks gzip that comes with this program. @throws RangeError when it is more than `most` bytes */
export function unpackedAtOnce(bytes: Uint8Array, most: number): Uint8Array {
  return gunzipSync(bytes, { maxOutputLength: most });
}

function isDamage(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
