import { EMPTY_BLOOM } from "../../protocol/block/bloom.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import type { Row } from "../state/state.ts";

/**
 * Blocks of one section. A section's blooms are kept once more, turned by 90 degrees: for each bit of the bloom one bit
 * per block. A search then reads three short rows per address or topic and section instead of every block's bloom.
 */
export const SECTION_SIZE = 2_048;

/** Table of the rows: bit (2 bytes) ‖ section (4 bytes), both big-endian, to a set of blocks. */
export const LOG_INDEX_TABLE = "logIndex";

const BLOOM_BITS = 2_048;
const BITMAP_SIZE = SECTION_SIZE / 8;

/** A set of blocks of one section, one bit each, the first block in the lowest bit of the first byte. */
export type BlockSet = Uint8Array;

/** Number of full sections of a chain whose newest block is `head`. */
export function fullSections(head: bigint): number {
  return Number((head + 1n) / BigInt(SECTION_SIZE));
}

/** The three bits that an address or topic sets in a bloom, 0…2047. @see Yellow Paper, section 4.3.1 */
export function bloomBits(value: Uint8Array): [number, number, number] {
  const hash = keccak256(value);
  const bit = (i: number) => (((hash[i] as number) << 8) | (hash[i + 1] as number)) & (BLOOM_BITS - 1);
  return [bit(0), bit(2), bit(4)];
}

/**
 * The rows that go with block `number`: those of a section with the first block after it, else none.
 * @param bloom - that of a block before
 */
export function logIndexRows(number: bigint, bloom: (number: bigint) => Uint8Array | undefined): Row[] {
  if (number % BigInt(SECTION_SIZE) !== 0n) return [];
  const first = number - BigInt(SECTION_SIZE);
  const blooms = Array.from({ length: SECTION_SIZE }, (_, i) => bloom(first + BigInt(i)) ?? EMPTY_BLOOM);
  return sectionRows(fullSections(number - 1n) - 1, blooms);
}

/**
 * The rows of one section.
 * @param blooms - 256 bytes of each of its blocks, in order
 */
export function sectionRows(section: number, blooms: Iterable<Uint8Array>): Row[] {
  const bitmaps = turn(blooms);
  return Array.from({ length: BLOOM_BITS }, (_, bit) => ({
    table: LOG_INDEX_TABLE,
    key: rowKey(bit, section),
    value: packed(bitmaps.subarray(bit * BITMAP_SIZE, (bit + 1) * BITMAP_SIZE)),
  }));
}

function turn(blooms: Iterable<Uint8Array>): Uint8Array {
  const bitmaps = new Uint8Array(BLOOM_BITS * BITMAP_SIZE);
  let block = 0;
  for (const bloom of blooms) {
    for (let i = 0; i < bloom.length; i++) {
      let byte = bloom[i] as number;
      for (let bit = (bloom.length - 1 - i) * 8; byte !== 0; bit++, byte >>= 1) {
        if ((byte & 1) === 0) continue;
        const at = bit * BITMAP_SIZE + (block >> 3);
        bitmaps[at] = (bitmaps[at] as number) | (1 << (block & 7));
      }
    }
    block++;
  }
  return bitmaps;
}

/**
 * Blocks of a section in which one of `values` may occur.
 * @param read - the stored row of a key
 */
export function blocksWithAny(
  section: number,
  values: readonly Uint8Array[],
  read: (key: Uint8Array) => Uint8Array | undefined,
): BlockSet {
  const union = new Uint8Array(BITMAP_SIZE);
  for (const value of values) {
    const [first, second, third] = bloomBits(value).map((bit) => unpacked(read(rowKey(bit, section))));
    for (let i = 0; i < BITMAP_SIZE; i++) {
      const all = (first?.[i] as number) & (second?.[i] as number) & (third?.[i] as number);
      union[i] = (union[i] as number) | all;
    }
  }
  return union;
}

/** Blocks that are in both sets. */
export function intersection(a: BlockSet, b: BlockSet): BlockSet {
  return a.map((byte, i) => byte & (b[i] as number));
}

/** Places within the section of the blocks of a set, ascending. */
export function* blocksOf(set: BlockSet): Generator<number> {
  for (let i = 0; i < set.length; i++) {
    for (let byte = set[i] as number, block = i * 8; byte !== 0; byte >>= 1, block++) {
      if ((byte & 1) === 1) yield block;
    }
  }
}

function rowKey(bit: number, section: number): Uint8Array {
  const key = new Uint8Array(6);
  const view = new DataView(key.buffer);
  view.setUint16(0, bit);
  view.setUint32(2, section);
  return key;
}

/** Few blocks are stored as a list of 2-byte places, many as the bitmap itself, none as no row. */
function packed(bitmap: BlockSet): Uint8Array | null {
  const blocks = [...blocksOf(bitmap)];
  if (blocks.length === 0) return null;
  if (blocks.length * 2 >= BITMAP_SIZE) return bitmap;
  const out = new Uint8Array(blocks.length * 2);
  const view = new DataView(out.buffer);
  for (const [i, block] of blocks.entries()) view.setUint16(i * 2, block);
  return out;
}

function unpacked(row: Uint8Array | undefined): BlockSet {
  if (row?.length === BITMAP_SIZE) return row.slice();
  const bitmap = new Uint8Array(BITMAP_SIZE);
  for (let i = 0; row !== undefined && i < row.length; i += 2) {
    const block = ((row[i] as number) << 8) | (row[i + 1] as number);
    bitmap[block >> 3] = (bitmap[block >> 3] as number) | (1 << (block & 7));
  }
  return bitmap;
}
