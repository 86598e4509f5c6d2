import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { allocateBytes } from "../../../protocol/primitives/bytes.ts";
import { PeerError } from "../errors.ts";

/** Element types, in the two low bits of the tag. */
const LITERAL = 0;
const COPY_1 = 1;
const COPY_2 = 2;
/** Maximum compression ratio: a copy of 64 bytes takes 3. */
const MAX_RATIO = 22;
/** Matches are only searched within a block. */
const BLOCK_BYTES = 1 << 16;
const HASH_BITS = 14;
const HASH_FACTOR = 0x1e35a7bd;
const MAX_COPY = 64;

/** Hash table: last position of each hash of four bytes in the current block. */
const positions = new Uint16Array(1 << HASH_BITS);

/** Compressed bytes read in one step, apart from a literal at its end: they yield at most 1.4 MiB. */
const STEP_BYTES = 1 << 16;

/** Positions in input and output. */
interface Progress {
  from: number;
  to: number;
}

/**
 * Decompresses Snappy's block format (no framing), in steps of a few milliseconds at most.
 * @param maxBytes - a larger claimed size is rejected before memory is allocated
 * @throws PeerError `SNAPPY`
 * @see Snappy's format_description.txt
 */
export function* decompressInSteps(compressed: Uint8Array, maxBytes: number): Generator<void, Uint8Array> {
  const { size, offset } = readSize(compressed);
  if (size > maxBytes) throw new PeerError("SNAPPY", `message of ${size} bytes is larger than ${maxBytes}`);
  if (size > compressed.length * MAX_RATIO) throw corrupt();
  const out = allocateBytes(size);
  const progress: Progress = { from: offset, to: 0 };
  for (;;) {
    expand(compressed, out, progress);
    if (progress.from >= compressed.length) break;
    yield;
  }
  if (progress.to !== size) throw corrupt();
  return out;
}

/** Like `decompressInSteps`, without yielding. */
export function decompress(compressed: Uint8Array, maxBytes: number): Uint8Array {
  return runSync(decompressInSteps(compressed, maxBytes));
}

/** Decompresses one step. */
function expand(compressed: Uint8Array, out: Uint8Array, progress: Progress): void {
  const size = out.length;
  let { from, to } = progress;
  const end = Math.min(compressed.length, from + STEP_BYTES);
  while (from < end) {
    const tag = compressed[from++] as number;
    if ((tag & 3) === LITERAL) {
      let length = tag >> 2;
      if (length >= 60) {
        const width = length - 59;
        length = readLittleEndian(compressed, from, width);
        from += width;
      }
      length++;
      if (from + length > compressed.length || to + length > size) throw corrupt();
      out.set(compressed.subarray(from, from + length), to);
      from += length;
      to += length;
    } else {
      const short = (tag & 3) === COPY_1;
      const width = short ? 1 : (tag & 3) === COPY_2 ? 2 : 4;
      const length = short ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
      const low = readLittleEndian(compressed, from, width);
      const distance = short ? ((tag >> 5) << 8) | low : low;
      from += width;
      if (distance === 0 || distance > to || to + length > size) throw corrupt();
      copyWithin(out, to, distance, length);
      to += length;
    }
  }
  progress.from = from;
  progress.to = to;
}

/** Compresses into Snappy's block format. @returns new bytes */
export function compress(text: Uint8Array): Uint8Array {
  const out = allocateBytes(32 + text.length + Math.ceil(text.length / 6));
  let end = writeSize(out, text.length);
  for (let start = 0; start < text.length; start += BLOCK_BYTES) {
    end = compressBlock(text.subarray(start, start + BLOCK_BYTES), out, end);
  }
  return out.subarray(0, end);
}

/** @returns where the output ends */
function compressBlock(block: Uint8Array, out: Uint8Array, start: number): number {
  positions.fill(0);
  const lastStart = block.length - 15;
  let end = start;
  let literal = 0;
  let position = 1;
  let misses = 32;
  while (position < lastStart) {
    const word = readWord(block, position);
    const slot = Math.imul(word, HASH_FACTOR) >>> (32 - HASH_BITS);
    const candidate = positions[slot] as number;
    positions[slot] = position;
    if (readWord(block, candidate) !== word) {
      position += misses++ >> 5; // skips faster the longer there was no match
      continue;
    }
    misses = 32;
    let length = 4;
    while (position + length < block.length && block[candidate + length] === block[position + length])
      length++;
    end = writeLiteral(block.subarray(literal, position), out, end);
    end = writeCopy(position - candidate, length, out, end);
    position += length;
    literal = position;
  }
  return writeLiteral(block.subarray(literal), out, end);
}

function writeLiteral(bytes: Uint8Array, out: Uint8Array, start: number): number {
  if (bytes.length === 0) return start;
  let end = start;
  const last = bytes.length - 1;
  if (last < 60) out[end++] = last << 2;
  else if (last < 256) {
    out[end++] = 60 << 2;
    out[end++] = last;
  } else {
    out[end++] = 61 << 2;
    out[end++] = last & 0xff;
    out[end++] = last >> 8;
  }
  out.set(bytes, end);
  return end + bytes.length;
}

function writeCopy(distance: number, length: number, out: Uint8Array, start: number): number {
  let end = start;
  for (let left = length; left > 0; ) {
    // Leaves at least four bytes for the last copy, the minimum of a short one.
    const part = left > MAX_COPY ? (left < MAX_COPY + 4 ? MAX_COPY - 4 : MAX_COPY) : left;
    if (part < 12 && part >= 4 && distance < 2048) {
      out[end++] = ((distance >> 8) << 5) | ((part - 4) << 2) | COPY_1;
      out[end++] = distance & 0xff;
    } else {
      out[end++] = ((part - 1) << 2) | COPY_2;
      out[end++] = distance & 0xff;
      out[end++] = distance >> 8;
    }
    left -= part;
  }
  return end;
}

/** Copies `length` bytes from `distance` before `to`; the ranges may overlap. */
function copyWithin(out: Uint8Array, to: number, distance: number, length: number): void {
  if (distance >= length) {
    out.copyWithin(to, to - distance, to - distance + length);
    return;
  }
  for (let i = 0; i < length; i++) out[to + i] = out[to + i - distance] as number;
}

function readSize(compressed: Uint8Array): { readonly size: number; readonly offset: number } {
  let size = 0;
  for (let offset = 0; offset < 5; offset++) {
    const byte = compressed[offset];
    if (byte === undefined) break;
    size += (byte & 0x7f) * 2 ** (7 * offset);
    if (byte < 0x80 && size < 2 ** 32) return { size, offset: offset + 1 };
  }
  throw corrupt();
}

function writeSize(out: Uint8Array, size: number): number {
  let end = 0;
  let left = size;
  for (; left >= 0x80; left >>>= 7) out[end++] = (left & 0x7f) | 0x80;
  out[end++] = left;
  return end;
}

function readWord(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

function readLittleEndian(bytes: Uint8Array, at: number, width: number): number {
  if (at + width > bytes.length) throw corrupt();
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] as number);
  return value;
}

function corrupt(): PeerError {
  return new PeerError("SNAPPY", "snappy: corrupt input");
}
