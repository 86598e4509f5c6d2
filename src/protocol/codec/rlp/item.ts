import { allocateBytes, EMPTY_BYTES } from "../../primitives/bytes.ts";
import { NodeError } from "../../primitives/errors.ts";

/** A decoded RLP item: a byte string or a list of items. */
export type Item = Uint8Array | readonly Item[];

/** Malformed or unexpected RLP. Messages are those of the reference node, which peers and RPC users see. */
export class RlpError extends NodeError<
  "RLP_EMPTY" | "RLP_TRAILING_BYTES" | "RLP_SHORT_INPUT" | "RLP_NOT_CANONICAL" | "RLP_SHAPE"
> {
  override name = "RlpError";
}

/** Lists nested deeper than this are rejected, so that hostile input cannot exhaust the call stack. */
const MAX_DEPTH = 256;

/**
 * Encodes an item.
 * @returns new bytes, except that a single byte below 0x80 is its own encoding and returned as it is
 * @see Yellow Paper, appendix B
 */
export function encodeItem(item: Item): Uint8Array {
  if (!isList(item) && item.length === 1 && (item[0] as number) < 0x80) return item;
  const out = allocateBytes(encodedLength(item));
  writeBefore(item, out, out.length);
  return out;
}

/** Encodes items one after the other, as in the payload of a list. @returns new bytes */
export function encodeItems(items: readonly Item[]): Uint8Array {
  let length = 0;
  for (const item of items) length += encodedLength(item);
  const out = allocateBytes(length);
  let start = length;
  for (let i = items.length - 1; i >= 0; i--) start = writeBefore(items[i] as Item, out, start);
  return out;
}

/** Whether an item is a list. (`instanceof Uint8Array`, the other way to tell, takes twice as long.) */
function isList(item: Item): item is readonly Item[] {
  return Array.isArray(item);
}

/** Length of the output of `encodeItem`. */
export function encodedLength(item: Item): number {
  if (!isList(item)) {
    const length = item.length;
    return length === 1 && (item[0] as number) < 0x80 ? 1 : length + headerLength(length);
  }
  let payload = 0;
  for (let i = 0; i < item.length; i++) payload += encodedLength(item[i] as Item);
  return payload + headerLength(payload);
}

/**
 * Decodes one item that fills the input.
 * @returns views of the input
 * @throws RlpError
 */
export function decodeItem(bytes: Uint8Array): Item {
  const item = readItem(bytes, 0, bytes.length, 0);
  if (readEnd !== bytes.length) {
    throw new RlpError("RLP_TRAILING_BYTES", "rlp: input contains more than one value", { end: readEnd });
  }
  return item;
}

/**
 * Decodes the item at `offset`; the rest is ignored. For concatenated items, as in journals and streams.
 * @returns views of the input, and the offset behind the item
 * @throws RlpError; `RLP_EMPTY` ("EOF") at the end of the input
 */
export function decodeItemAt(
  bytes: Uint8Array,
  offset: number,
): { readonly item: Item; readonly end: number } {
  const item = readItem(bytes, offset, bytes.length, 0);
  return { item, end: readEnd };
}

/** Length of the header of a string or list with `length` bytes of payload (not for single bytes below 0x80). */
function headerLength(length: number): number {
  if (length < 56) return 1;
  if (length < 0x100) return 2;
  if (length < 0x10000) return 3;
  return length < 0x1000000 ? 4 : 5;
}

/** Writes an item backwards so that it ends before `end`: a list's length is known once its payload is written. */
function writeBefore(item: Item, out: Uint8Array, end: number): number {
  if (!isList(item)) {
    const start = end - item.length;
    if (item.length <= 16) for (let i = 0; i < item.length; i++) out[start + i] = item[i] as number;
    else out.set(item, start);
    return item.length === 1 && (item[0] as number) < 0x80
      ? start
      : writeHeaderBefore(item.length, 0x80, out, start);
  }
  let start = end;
  for (let i = item.length - 1; i >= 0; i--) start = writeBefore(item[i] as Item, out, start);
  return writeHeaderBefore(end - start, 0xc0, out, start);
}

function writeHeaderBefore(length: number, offset: 0x80 | 0xc0, out: Uint8Array, end: number): number {
  let start = end;
  if (length < 56) {
    out[--start] = offset + length;
    return start;
  }
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) out[--start] = rest & 0xff;
  out[start - 1] = offset + 55 + (end - start);
  return start - 1;
}

/** Offset behind the item read last; a second result of `readItem` without an allocation. */
let readEnd = 0;

function readItem(bytes: Uint8Array, start: number, limit: number, depth: number): Item {
  const tag = bytes[start];
  if (tag === undefined || start >= limit) throw new RlpError("RLP_EMPTY", "EOF", { start });
  if (tag < 0x80) {
    readEnd = start + 1;
    return bytes.subarray(start, start + 1);
  }
  const { from, end } = readHeader(bytes, start, limit, depth > 0);
  readEnd = end;
  return tag < 0xc0 ? readString(bytes, from, end) : readList(bytes, from, end, depth);
}

function readString(bytes: Uint8Array, from: number, end: number): Uint8Array {
  if (end === from) return EMPTY_BYTES;
  if (end - from === 1 && (bytes[from] as number) < 0x80) throw nonCanonicalSize(from);
  return bytes.subarray(from, end);
}

function readList(bytes: Uint8Array, from: number, end: number, depth: number): Item {
  if (depth === MAX_DEPTH) throw new RlpError("RLP_SHAPE", "rlp: lists are nested too deep", { start: from });
  const items: Item[] = [];
  for (let at = from; at < end; at = readEnd) items.push(readItem(bytes, at, end, depth + 1));
  readEnd = end;
  return items;
}

/**
 * Reads the header of a string or list.
 * @param limit - end of the enclosing list or of the input
 * @returns where the payload begins and ends
 * @throws RlpError
 */
export function readHeader(bytes: Uint8Array, start: number, limit: number, inList: boolean): PayloadBounds {
  const bounds = measurePayload(bytes, start, limit, { inList });
  if (bounds.end > limit) throw tooLarge(inList, { start, limit });
  return bounds;
}

/** Where the payload of a string or list begins and ends. */
export interface PayloadBounds {
  readonly from: number;
  readonly end: number;
}

/**
 * As `readHeader`, but leaves it to the caller whether the payload fits: only the header is compared with `limit`.
 * @param context - `type` is the Go type that the reference node names in its error text
 * @throws RlpError
 */
export function measurePayload(
  bytes: Uint8Array,
  start: number,
  limit: number,
  { inList, type }: { readonly inList: boolean; readonly type?: string | undefined },
): PayloadBounds {
  const tag = bytes[start] as number;
  const short = tag - (tag < 0xc0 ? 0x80 : 0xc0);
  const from = start + 1 + Math.max(0, short - 55);
  if (from > limit) throw tooLarge(inList, { start, limit });
  return { from, end: from + (short < 56 ? short : readLength(bytes, start + 1, from, type)) };
}

function readLength(bytes: Uint8Array, start: number, end: number, type: string | undefined): number {
  let length = 0;
  for (let i = start; i < end; i++) length = length * 256 + (bytes[i] as number);
  if (bytes[start] === 0 || length < 56) throw nonCanonicalSize(start, type);
  return length;
}

/** The error of a value that exceeds its list, or the input. */
export function tooLarge(inList: boolean, details: Record<string, unknown>): RlpError {
  const what = inList
    ? "element is larger than containing list"
    : "value size exceeds available input length";
  return new RlpError("RLP_SHORT_INPUT", `rlp: ${what}`, details);
}

/** The error of a length that could be written shorter. @param type - the Go type that the text names */
export function nonCanonicalSize(start: number, type?: string): RlpError {
  const target = type === undefined ? "" : ` for ${type}`;
  return new RlpError("RLP_NOT_CANONICAL", `rlp: non-canonical size information${target}`, { start });
}
