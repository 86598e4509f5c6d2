import { nibbleAt } from "./nibbles.ts";

/** What a child of a branch is. */
export const Kind = { none: 0, leaf: 1, inner: 2 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** Length of a reference that is a hash; a shorter node is embedded instead of its hash. */
export const HASH_LENGTH = 32;
const CHILDREN = 16;

/**
 * A branch node, unpacked for modification. `refs` and `leafKeys` hold 32 bytes per child. The key of a leaf is stored
 * along with its reference, so that splitting and merging nodes needs no search.
 */
export class Branch {
  readonly kinds = new Uint8Array(CHILDREN);
  readonly refLengths = new Uint8Array(CHILDREN);
  readonly refs = new Uint8Array(CHILDREN * HASH_LENGTH);
  readonly leafKeys = new Uint8Array(CHILDREN * 32);

  clear(): void {
    this.kinds.fill(Kind.none);
  }

  /** View of a child's reference: a hash, or the node itself. */
  ref(child: number): Uint8Array {
    const offset = child * HASH_LENGTH;
    return this.refs.subarray(offset, offset + (this.refLengths[child] as number));
  }

  /** View of the full key of a leaf child. */
  leafKey(child: number): Uint8Array {
    return this.leafKeys.subarray(child * 32, child * 32 + 32);
  }

  /** Number of children, and the last one. */
  children(): { readonly count: number; readonly last: number } {
    let count = 0;
    let last = -1;
    for (let child = 0; child < CHILDREN; child++) {
      if (this.kinds[child] === Kind.none) continue;
      count++;
      last = child;
    }
    return { count, last };
  }
}

/** Size of the longest branch record. */
export const MAX_RECORD_BYTES = 7 + CHILDREN * (1 + HASH_LENGTH + 32);

/**
 * Writes a branch as a record: 01; big-endian u16 bitmaps of the present, the inner and the embedded children; then for
 * each child its reference (prefixed by its length if embedded) and, for a leaf, its key from the byte with the first
 * nibble not implied by its path.
 * @param depth - length of the path to the branch, in nibbles
 * @returns the record's length
 */
export function writeBranchRecord(branch: Branch, depth: number, record: Uint8Array): number {
  let present = 0;
  let inner = 0;
  let embedded = 0;
  let end = 7;
  for (let child = 0; child < CHILDREN; child++) {
    const kind = branch.kinds[child];
    if (kind === Kind.none) continue;
    present |= 1 << child;
    if (kind === Kind.inner) inner |= 1 << child;
    const length = branch.refLengths[child] as number;
    if (length < HASH_LENGTH) {
      embedded |= 1 << child;
      record[end++] = length;
    }
    for (let i = child * 32, last = i + length; i < last; i++) record[end++] = branch.refs[i] as number;
    if (kind === Kind.inner) continue;
    for (let i = child * 32 + ((depth + 1) >> 1); i < child * 32 + 32; i++)
      record[end++] = branch.leafKeys[i] as number;
  }
  record[0] = 1;
  writeBits(record, 1, present);
  writeBits(record, 3, inner);
  writeBits(record, 5, embedded);
  return end;
}

/**
 * Reads what `writeBranchRecord` wrote.
 * @param path - any key that passes through the branch
 */
export function readBranchRecord(record: Uint8Array, path: Uint8Array, depth: number, branch: Branch): void {
  const present = readBits(record, 1);
  const inner = readBits(record, 3);
  const embedded = readBits(record, 5);
  let position = 7;
  for (let child = 0; child < CHILDREN; child++) {
    const bit = 1 << child;
    if (!(present & bit)) {
      branch.kinds[child] = Kind.none;
      continue;
    }
    const length = embedded & bit ? (record[position++] as number) : HASH_LENGTH;
    branch.refLengths[child] = length;
    for (let i = child * 32, last = i + length; i < last; i++) branch.refs[i] = record[position++] as number;
    branch.kinds[child] = inner & bit ? Kind.inner : Kind.leaf;
    if (!(inner & bit)) position = readLeafKey(record, position, { path, depth, child, branch });
  }
}

interface LeafPosition {
  readonly path: Uint8Array;
  readonly depth: number;
  readonly child: number;
  readonly branch: Branch;
}

function readLeafKey(record: Uint8Array, from: number, { path, depth, child, branch }: LeafPosition): number {
  const start = child * 32;
  const whole = depth >> 1;
  for (let i = 0; i < whole; i++) branch.leafKeys[start + i] = path[i] as number;
  // At an odd depth this byte ends with the child's nibble; at an even depth it is part of the record.
  if (depth & 1) branch.leafKeys[start + whole] = (nibbleAt(path, depth - 1) << 4) | child;
  let position = from;
  for (let i = (depth + 1) >> 1; i < 32; i++) branch.leafKeys[start + i] = record[position++] as number;
  return position;
}

function writeBits(record: Uint8Array, offset: number, bits: number): void {
  record[offset] = bits >> 8;
  record[offset + 1] = bits & 0xff;
}

function readBits(record: Uint8Array, offset: number): number {
  return ((record[offset] as number) << 8) | (record[offset + 1] as number);
}
