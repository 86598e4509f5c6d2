import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { bigintToBytes, compareBytes, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";

interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * Root of the Merkle Patricia trie that maps rlp(index) to each value.
 * @see Yellow Paper, appendix D
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Hash {
  return trieRoot(values.map((value, index) => ({ key: encodeItem(bigintToBytes(BigInt(index))), value })));
}

/**
 * Root of the Merkle Patricia trie over a set of entries, built at once.
 * @param entries - in any order; no key may be the beginning of another one
 */
export function trieRoot(entries: readonly Entry[]): Hash {
  if (entries.length === 0) return keccak256(encodeItem(EMPTY_BYTES));
  const sorted = [...entries].sort((a, b) => compareBytes(a.key, b.key));
  return keccak256(encodeItem(nodeOver(sorted, 0, sorted.length, 0)));
}

/** The node over sorted entries `from`…`to` - 1, which agree in their first `depth` nibbles. */
function nodeOver(sorted: readonly Entry[], from: number, to: number, depth: number): Item {
  const first = sorted[from] as Entry;
  if (to - from === 1) return [hexPrefix(first.key, depth, 2 * first.key.length, true), first.value];
  const fork = commonNibbles(first.key, (sorted[to - 1] as Entry).key, depth);
  if (fork > depth)
    return [hexPrefix(first.key, depth, fork, false), reference(nodeOver(sorted, from, to, fork))];
  const children: Item[] = [];
  for (let nibble = 0, start = from; nibble < 16; nibble++) {
    let end = start;
    while (end < to && nibbleAt((sorted[end] as Entry).key, depth) === nibble) end++;
    children.push(start === end ? EMPTY_BYTES : reference(nodeOver(sorted, start, end, depth + 1)));
    start = end;
  }
  return [...children, EMPTY_BYTES];
}

/** A node inside its parent: itself when it is shorter than a hash, else its hash. */
function reference(node: Item): Item {
  const encoded = encodeItem(node);
  return encoded.length < 32 ? node : keccak256(encoded);
}

function commonNibbles(a: Uint8Array, b: Uint8Array, from: number): number {
  let i = from;
  while (nibbleAt(a, i) === nibbleAt(b, i)) i++;
  return i;
}

function nibbleAt(key: Uint8Array, i: number): number {
  const byte = key[i >> 1] as number;
  return i & 1 ? byte & 15 : byte >> 4;
}

/** Compact form of nibbles `from`…`to` - 1 with the flags for odd length and for a leaf. */
function hexPrefix(key: Uint8Array, from: number, to: number, leaf: boolean): Uint8Array {
  const odd = (to - from) & 1;
  const flags = (leaf ? 2 : 0) | odd;
  const out = new Uint8Array(((to - from) >> 1) + 1);
  out[0] = (flags << 4) | (odd ? nibbleAt(key, from) : 0);
  for (let i = from + odd, at = 1; i < to; i += 2) out[at++] = (nibbleAt(key, i) << 4) | nibbleAt(key, i + 1);
  return out;
}
