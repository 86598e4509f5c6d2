import { keccakScratch as out } from "../../../protocol/crypto/keccak.ts";
import { type Branch, HASH_LENGTH, Kind } from "./branch.ts";
import { KEY_NIBBLES, nibbleAt } from "./nibbles.ts";

// RLP of trie nodes, written straight into Keccak's input: each function leaves the node at the start of `keccakScratch`
// and returns its length. @see Yellow Paper appendix D

/** Flags of the hex-prefix encoding, in the high nibble of its first byte. */
const ODD = 0x10;
const LEAF = 0x20;

/** Writes the leaf of `key` at a position `depth` nibbles deep. */
export function writeLeaf(key: Uint8Array, depth: number, value: Uint8Array): number {
  const left = KEY_NIBBLES - depth;
  const pathBytes = (left >> 1) + 1;
  let end = writeListHeader(pathLength(pathBytes) + stringLength(value));
  if (pathBytes > 1) out[end++] = 0x80 + pathBytes;
  out[end++] = left & 1 ? LEAF | ODD | nibbleAt(key, depth) : LEAF;
  for (let i = (depth + 1) >> 1; i < 32; i++) out[end++] = key[i] as number;
  return writeString(end, value);
}

/** Writes an extension with path `nibbles` (one per byte) to the branch with reference `ref`. */
export function writeExtension(nibbles: Uint8Array, ref: Uint8Array): number {
  const pathBytes = (nibbles.length >> 1) + 1;
  let end = writeListHeader(pathLength(pathBytes) + (ref.length === HASH_LENGTH ? 33 : ref.length));
  if (pathBytes > 1) out[end++] = 0x80 + pathBytes;
  let i = 0;
  out[end++] = nibbles.length & 1 ? ODD | (nibbles[i++] as number) : 0;
  for (; i < nibbles.length; i += 2) out[end++] = ((nibbles[i] as number) << 4) | (nibbles[i + 1] as number);
  if (ref.length === HASH_LENGTH) out[end++] = 0xa0;
  out.set(ref, end);
  return end + ref.length;
}

/** Writes a branch. Its seventeenth item is always empty: all keys have the same length. */
export function writeBranch(branch: Branch): number {
  let length = 17;
  for (let child = 0; child < 16; child++) {
    if (branch.kinds[child] === Kind.none) continue;
    const ref = branch.refLengths[child] as number;
    length += ref === HASH_LENGTH ? HASH_LENGTH : ref - 1;
  }
  let end = writeListHeader(length);
  for (let child = 0; child < 16; child++) {
    if (branch.kinds[child] === Kind.none) {
      out[end++] = 0x80;
      continue;
    }
    const ref = branch.refLengths[child] as number;
    if (ref === HASH_LENGTH) out[end++] = 0xa0;
    for (let i = child * 32, last = i + ref; i < last; i++) out[end++] = branch.refs[i] as number;
  }
  out[end++] = 0x80;
  return end;
}

/** RLP length of a hex-prefix path; a single byte, always below 0x80, is its own encoding. */
function pathLength(bytes: number): number {
  return bytes === 1 ? 1 : bytes + 1;
}

function stringLength(value: Uint8Array): number {
  const length = value.length;
  if (length === 1 && (value[0] as number) < 0x80) return 1;
  return length + (length < 56 ? 1 : length < 256 ? 2 : 3);
}

function writeString(start: number, value: Uint8Array): number {
  let end = start;
  const length = value.length;
  if (length !== 1 || (value[0] as number) >= 0x80) end = writeLength(end, 0x80, length);
  for (let i = 0; i < length; i++) out[end + i] = value[i] as number;
  return end + length;
}

function writeListHeader(length: number): number {
  return writeLength(0, 0xc0, length);
}

/** Handles lengths up to 65,535, more than any node has. */
function writeLength(start: number, base: number, length: number): number {
  let end = start;
  if (length < 56) {
    out[end++] = base + length;
  } else if (length < 256) {
    out[end++] = base + 56;
    out[end++] = length;
  } else {
    out[end++] = base + 57;
    out[end++] = length >> 8;
    out[end++] = length & 0xff;
  }
  return end;
}
