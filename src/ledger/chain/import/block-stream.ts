import { IntakeError } from "../../../platform/intake/errors.ts";
import { isGzip, unpackedPieces } from "../../../platform/intake/unpack.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { ChainError } from "../errors.ts";
import { ByteQueue } from "./byte-queue.ts";

/**
 * Maximum size of a block read from a file or stream: more than osaka allows (10 MiB, EIP-7934), and more than the
 * reference node sends or accepts (12 MiB).
 */
export const MAX_STREAMED_BLOCK = 16 << 20;
/** Longest list header in RLP: the tag and eight length bytes. */
const LONGEST_HEADER = 9;

/**
 * Splits a file of blocks into the encodings of single blocks, in time slices. The file is a plain concatenation of RLP
 * blocks, as written by `admin_exportChain`, or the same gzipped, recognised by its first two bytes. Never holds more than
 * one block and one chunk of the source in memory, whatever lengths the file claims.
 * @throws ChainError with `details.position`, the offset in the uncompressed file: `BLOCK_CUT_SHORT` if the file ends within a
 *   block, `NOT_A_BLOCK` for something else, `BLOCK_STREAM` for a block that is too large, or a damaged archive
 */
export async function* splitBlocks(
  source: AsyncIterable<Uint8Array>,
  pace: Pace = new TimeSlice(),
): AsyncGenerator<Uint8Array, undefined> {
  const pieces = new ByteQueue();
  let position = 0;
  try {
    for await (const piece of unpacked(source)) {
      pieces.add(piece);
      for (;;) {
        const size = itemSize(pieces.peek(LONGEST_HEADER), position);
        if (size === undefined || size > pieces.length) break;
        yield pieces.take(size);
        position += size;
        if (pace.isDue()) await pace.yield();
      }
    }
  } catch (cause) {
    if (!(cause instanceof IntakeError)) throw cause;
    throw new ChainError("BLOCK_STREAM", cause.message, { position: position + pieces.length }, { cause });
  }
  if (pieces.length > 0) throw new ChainError("BLOCK_CUT_SHORT", "stream ends within a block", { position });
}

/** Size of a list including its header, from its first bytes; undefined when there are too few of them. */
function itemSize(head: Uint8Array, position: number): number | undefined {
  const tag = head[0];
  if (tag === undefined) return undefined;
  if (tag < 0xc0) throw new ChainError("NOT_A_BLOCK", "not a block", { position });
  if (tag < 0xf8) return 1 + tag - 0xc0;
  const sizeOfLength = tag - 0xf7;
  if (1 + sizeOfLength > head.length) return undefined;
  let length = 0;
  for (let i = 1; i <= sizeOfLength; i++) length = length * 256 + (head[i] as number);
  if (length > MAX_STREAMED_BLOCK)
    throw new ChainError("BLOCK_STREAM", `block of more than ${MAX_STREAMED_BLOCK} bytes`, {
      position,
      length,
    });
  return 1 + sizeOfLength + length;
}

async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const begun = new ByteQueue();
  while (begun.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    begun.add(next.value);
  }
  const head = begun.take(begun.length);
  yield* isGzip(head) ? unpackedPieces(resumed(head, iterator)) : resumed(head, iterator);
}

async function* resumed(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
