import { pipeline, Readable } from "node:stream";
import { createGunzip, gunzipSync } from "node:zlib";
import { type Pace, runPaced } from "../runtime/turns/pace.ts";
import { IntakeError } from "./errors.ts";
import { join } from "./join.ts";

/** Bytes decompressed at a time. */
const UNZIP_CHUNK = 1 << 20;

/** Whether bytes have the magic number of gzip. @see RFC 1952 */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Decompresses gzip as a stream, only as far as it is read: the size that an archive claims is irrelevant.
 * @throws IntakeError `DAMAGED` if the archive is corrupt; errors of its source as they are
 */
export async function* unpackedPieces(
  archive: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    // Without a callback the pipeline's error would be unhandled; the loop throws the same one.
    yield* pipeline(Readable.from(archive), createGunzip({ chunkSize: UNZIP_CHUNK }), () => {});
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new IntakeError("DAMAGED", `damaged archive: ${cause.message}`, {}, { cause });
  }
}

/**
 * The bytes, decompressed if they are gzip.
 * @param most - maximum decompressed bytes
 * @throws IntakeError `TOO_LARGE` as soon as the limit is exceeded, `DAMAGED`
 */
export async function unpackBounded(bytes: Uint8Array, most: number, pace: Pace): Promise<Uint8Array> {
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
  return runPaced(pace, join(pieces, total));
}

/** Decompresses gzip that ships with this program. @throws RangeError when it has more than `most` bytes */
export function unpackSync(bytes: Uint8Array, most: number): Uint8Array {
  return gunzipSync(bytes, { maxOutputLength: most });
}

function isDamage(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
