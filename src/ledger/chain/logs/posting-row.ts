import type { Row, StateStore } from "../../state/state.ts";
import { TERM_BYTES, type Term } from "./term.ts";

/**
 * A posting list, the occurrences of a term: block, log index in the block, block, log index, …, ascending. Flat, since
 * frequent terms have thousands.
 */
export type Postings = readonly number[];

/**
 * Posting lists: term (6 bytes) ‖ last block of the row (6 bytes), both big-endian → postings. The rows of a term do not
 * overlap, so that a search can start at the first one at or after a block.
 */
export const POSTING_TABLE = "logPosting";

const BLOCK_BYTES = 6;
const LAST_BLOCK = 2 ** (8 * BLOCK_BYTES) - 1;

/** The row of one or more postings. */
export function postingRow(term: Term, postings: Postings): Row {
  const last = postings[postings.length - 2] as number;
  return { table: POSTING_TABLE, key: postingKey(term, last), value: encodePostings(postings) };
}

/** Key of the row whose last block is `block`. */
export function postingKey(term: Term, block: number): Uint8Array {
  const key = new Uint8Array(TERM_BYTES + BLOCK_BYTES);
  putUint48(key, 0, term);
  putUint48(key, TERM_BYTES, block);
  return key;
}

/** Key after all rows of a term. */
export function endOfTerm(term: Term): Uint8Array {
  return postingKey(term, LAST_BLOCK);
}

/** All rows, ordered by term and block. To be finished before the next block is committed. */
export function* allPostings(
  store: Pick<StateStore, "range">,
): Generator<{ readonly term: Term; readonly postings: Postings }> {
  const rows = store.range(POSTING_TABLE, postingKey(0, 0), endOfTerm(2 ** (8 * TERM_BYTES) - 1));
  for (const [key, value] of rows) yield { term: uint48At(key, 0), postings: decodePostings(key, value) };
}

/** Without a DataView, which would cost as much per key as the rest of its row. */
function putUint48(bytes: Uint8Array, at: number, value: number): void {
  const high = value / 2 ** 32;
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  bytes[at + 2] = value >>> 24;
  bytes[at + 3] = value >>> 16;
  bytes[at + 4] = value >>> 8;
  bytes[at + 5] = value;
}

function uint48At(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  return view.getUint16(0) * 2 ** 32 + view.getUint32(2);
}

/** Maximum bytes of an encoded number below 2⁵³. */
const LONGEST_NUMBER = 8;
let scratch = new Uint8Array(1024);

/**
 * Distance between first and last block; then for each posting its block, relative to the previous one, and its log index,
 * relative to the previous one if in the same block. Numbers are LEB128 varints.
 */
function encodePostings(postings: Postings): Uint8Array {
  const longest = LONGEST_NUMBER * (postings.length + 1);
  if (longest > scratch.length) scratch = new Uint8Array(2 * longest);
  let block = postings[0] as number;
  let index = postings[1] as number;
  let at = putNumber(0, (postings[postings.length - 2] as number) - block);
  at = putNumber(at, index);
  for (let i = 2; i < postings.length; i += 2) {
    const gap = (postings[i] as number) - block;
    const next = postings[i + 1] as number;
    at = putNumber(at, gap);
    at = putNumber(at, gap === 0 ? next - index : next);
    block += gap;
    index = next;
  }
  return scratch.slice(0, at);
}

/** @returns the offset after the number */
function putNumber(start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) scratch[at++] = rest | 128;
  scratch[at] = rest;
  return at + 1;
}

/** The postings of a row. */
export function decodePostings(key: Uint8Array, value: Uint8Array): number[] {
  let at = 0;
  const take = (): number => {
    let result = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = value[at++] as number;
      if (byte < 128) return result + byte * scale;
      result += (byte & 127) * scale;
    }
  };
  let block = uint48At(key, TERM_BYTES) - take();
  let index = take();
  const postings = [block, index];
  while (at < value.length) {
    const gap = take();
    index = gap === 0 ? index + take() : take();
    block += gap;
    postings.push(block, index);
  }
  return postings;
}
