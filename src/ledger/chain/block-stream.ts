import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ChainError } from "./errors.ts";

/** Largest block that is read from a file or stream; protects against a length field that is garbage. */
const MAX_BLOCK_SIZE = 256 * 1024 * 1024;
/** Bytes that are unpacked at a time: several blocks, so that few are joined from pieces. */
const UNZIP_CHUNK = 1024 * 1024;

/**
 * Splits a file of blocks into the encodings of single blocks. The file is the plain concatenation of RLP blocks, as
 * `admin_exportChain` writes it, or the same in gzip, which is told by its first two bytes.
 * @throws ChainError `BLOCK_STREAM` when the stream ends within a block, does not hold lists or is a damaged archive
 */
export async function* splitBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let left = new Uint8Array(0);
  let position = 0;
  for await (const chunk of await unzipped(source)) {
    const bytes = left.length === 0 ? chunk : joined(left, chunk);
    let start = 0;
    for (;;) {
      const size = itemSize(bytes, start, position);
      if (size === undefined || start + size > bytes.length) break;
      yield new Uint8Array(bytes.subarray(start, start + size));
      start += size;
      position += size;
    }
    left = new Uint8Array(bytes.subarray(start));
  }
  if (left.length > 0) throw new ChainError("BLOCK_STREAM", "stream ends within a block", { position });
}

/** Size of the list that starts at `start`, header included; undefined when its header is not complete. */
function itemSize(bytes: Uint8Array, start: number, position: number): number | undefined {
  const tag = bytes[start];
  if (tag === undefined) return undefined;
  if (tag < 0xc0) throw new ChainError("BLOCK_STREAM", "not a block", { position });
  if (tag < 0xf8) return 1 + tag - 0xc0;
  const sizeOfLength = tag - 0xf7;
  if (start + 1 + sizeOfLength > bytes.length) return undefined;
  let length = 0;
  for (let i = 1; i <= sizeOfLength; i++) length = length * 256 + (bytes[start + i] as number);
  if (length > MAX_BLOCK_SIZE) throw new ChainError("BLOCK_STREAM", "block too large", { position, length });
  return 1 + sizeOfLength + length;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

async function unzipped(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = source[Symbol.asyncIterator]();
  let head = new Uint8Array(0);
  let done = false;
  while (head.length < 2 && !done) {
    const next = await iterator.next();
    done = next.done === true;
    if (!next.done) head = joined(head, next.value);
  }
  const whole = resumed(head, iterator);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return whole;
  return inflated(whole);
}

async function* inflated(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  try {
    // The pipeline's callback is where a broken archive ends; the loop throws the same error.
    yield* pipeline(Readable.from(archive), createGunzip({ chunkSize: UNZIP_CHUNK }), () => {});
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    throw new ChainError("BLOCK_STREAM", `damaged archive: ${cause.message}`, {}, { cause });
  }
}

/** Whether it is the archive that is broken, not the disk that it is read from. */
function isDamage(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

async function* resumed(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
