import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { bigintToBytes, compareBytes, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";

interface TrieEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Keys that are encoded in one step. */
const KEYS_PER_STEP = 512;
/** Entries whose node is built in one step: about 0.2 ms. */
const ENTRIES_PER_STEP = 64;

/**
 * Root of the Merkle Patricia trie that maps rlp(index) to each value, in steps.
 * @see Yellow Paper, appendix D
 */
export function* orderedTrieRoot(values: readonly Uint8Array[]): Generator<void, Hash> {
  const sorted: TrieEntry[] = [];
  for (let i = 0; i < values.length; i++) {
    if (i % KEYS_PER_STEP === KEYS_PER_STEP - 1) yield;
    const index = indexAt(i, values.length);
    sorted.push({ key: encodeItem(bigintToBytes(BigInt(index))), value: values[index] as Uint8Array });
  }
  return yield* rootOver(sorted);
}

/** The index at a position in key order, in which 0, encoded as 0x80, comes after 127. */
function indexAt(place: number, count: number): number {
  const last = Math.min(count, 128) - 1;
  if (place > last) return place;
  return place === last ? 0 : place + 1;
}

/**
 * Root of the Merkle Patricia trie over a set of entries, built synchronously.
 * @param entries - in any order; no key may be a prefix of another one
 */
export function trieRoot(entries: readonly TrieEntry[]): Hash {
  const steps = rootOver([...entries].sort((a, b) => compareBytes(a.key, b.key)));
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

function* rootOver(sorted: readonly TrieEntry[]): Generator<void, Hash> {
  if (sorted.length === 0) return keccak256(encodeItem(EMPTY_BYTES));
  return keccak256(encodeItem(yield* nodeInSteps(sorted, 0, sorted.length, 0)));
}

/** As `nodeOver`, which builds nodes small enough for one step. */
function* nodeInSteps(
  sorted: readonly TrieEntry[],
  from: number,
  to: number,
  depth: number,
): Generator<void, Item> {
  if (to - from <= ENTRIES_PER_STEP) {
    yield;
    return nodeOver(sorted, from, to, depth);
  }
  const { key } = sorted[from] as TrieEntry;
  const fork = commonNibbles(key, (sorted[to - 1] as TrieEntry).key, depth);
  if (fork > depth)
    return [hexPrefix(key, depth, fork, false), reference(yield* nodeInSteps(sorted, from, to, fork))];
  const children: Item[] = [];
  for (const [start, end] of childRanges(sorted, from, to, depth))
    children.push(start === end ? EMPTY_BYTES : reference(yield* nodeInSteps(sorted, start, end, depth + 1)));
  return [...children, EMPTY_BYTES];
}

/** The node over sorted entries `from`…`to` - 1, which agree in their first `depth` nibbles. */
function nodeOver(sorted: readonly TrieEntry[], from: number, to: number, depth: number): Item {
  const first = sorted[from] as TrieEntry;
  if (to - from === 1) return [hexPrefix(first.key, depth, 2 * first.key.length, true), first.value];
  const fork = commonNibbles(first.key, (sorted[to - 1] as TrieEntry).key, depth);
  if (fork > depth)
    return [hexPrefix(first.key, depth, fork, false), reference(nodeOver(sorted, from, to, fork))];
  const children = childRanges(sorted, from, to, depth).map(([start, end]) =>
    start === end ? EMPTY_BYTES : reference(nodeOver(sorted, start, end, depth + 1)),
  );
  return [...children, EMPTY_BYTES];
}

/** Where the entries of each of a branch's sixteen children begin and end. */
function childRanges(
  sorted: readonly TrieEntry[],
  from: number,
  to: number,
  depth: number,
): readonly (readonly [start: number, end: number])[] {
  let end = from;
  return Array.from({ length: 16 }, (_, nibble) => {
    const start = end;
    while (end < to && nibbleAt((sorted[end] as TrieEntry).key, depth) === nibble) end++;
    return [start, end] as const;
  });
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
