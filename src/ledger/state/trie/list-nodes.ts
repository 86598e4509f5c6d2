import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { hashScratch, keccakScratch } from "../../../protocol/crypto/keccak.ts";
import { type Hash, ZERO_HASH } from "../../../protocol/primitives/bytes.ts";
import { Branch, HASH_LENGTH, Kind } from "./branch.ts";
import { KEY_NIBBLES, nibbleAt, sharedNibbles } from "./nibbles.ts";
import { writeBranch, writeExtension, writeLeaf } from "./node-rlp.ts";

/** A leaf of a trie: a 32-byte key and its value. */
export interface TrieLeaf {
  readonly key: Hash;
  readonly value: Uint8Array;
}

/** A node met on a walk from the root. */
export interface ListedNode {
  /** Zero for a node that is embedded in its parent, and for the value of a leaf. */
  readonly hash: Hash;
  /** Hash of the nearest node above that has one; zero above the root. */
  readonly parent: Hash;
  /** Path from the root, one hex digit per nibble. */
  readonly path: string;
  /** Index of the leaf whose value this is. */
  readonly leaf?: number;
}

interface Built {
  readonly hash: Hash;
  /** The hash, or the node itself when it is shorter. */
  readonly ref: Uint8Array;
  readonly depth: number;
  /** First leaf below. */
  readonly first: number;
  readonly children: readonly Built[];
  readonly isLeaf: boolean;
}

/**
 * Every node of the trie over some leaves, parents before children, in path order.
 * @param leaves - in key order
 */
export function listNodes(leaves: readonly TrieLeaf[]): Iterable<ListedNode> {
  return runSync(listNodesInSteps(leaves));
}

/** As `listNodes`, hashing one leaf per step. */
export function* listNodesInSteps(leaves: readonly TrieLeaf[]): Generator<void, Iterable<ListedNode>> {
  if (leaves.length === 0) return [];
  return walk(yield* build(leaves, 0, leaves.length, 0), ZERO_HASH, leaves);
}

function* walk(node: Built, parent: Hash, leaves: readonly TrieLeaf[]): Generator<ListedNode> {
  const { key } = leaves[node.first] as TrieLeaf;
  yield { hash: node.hash, parent, path: pathOf(key, node.depth) };
  const above = node.hash === ZERO_HASH ? parent : node.hash;
  if (node.isLeaf) yield { hash: ZERO_HASH, parent: above, path: pathOf(key, KEY_NIBBLES), leaf: node.first };
  for (const child of node.children) yield* walk(child, above, leaves);
}

/** Builds the node of the leaves `from` to `to` - 1, which share `depth` nibbles. */
function* build(
  leaves: readonly TrieLeaf[],
  from: number,
  to: number,
  depth: number,
): Generator<void, Built> {
  const first = leaves[from] as TrieLeaf;
  if (to - from === 1) {
    yield;
    const length = writeLeaf(first.key, depth, first.value);
    return { ...refOf(length, depth), depth, first: from, children: [], isLeaf: true };
  }
  const shared = sharedNibbles(first.key, (leaves[to - 1] as TrieLeaf).key, depth);
  const branch = yield* buildBranch(leaves, from, to, shared);
  if (shared === depth) return branch;
  const nibbles = Uint8Array.from({ length: shared - depth }, (_, i) => nibbleAt(first.key, depth + i));
  const length = writeExtension(nibbles, branch.ref);
  return { ...refOf(length, depth), depth, first: from, children: [branch], isLeaf: false };
}

function* buildBranch(
  leaves: readonly TrieLeaf[],
  from: number,
  to: number,
  depth: number,
): Generator<void, Built> {
  const branch = new Branch();
  const children: Built[] = [];
  for (let start = from; start < to; ) {
    const nibble = nibbleAt((leaves[start] as TrieLeaf).key, depth);
    let end = start + 1;
    while (end < to && nibbleAt((leaves[end] as TrieLeaf).key, depth) === nibble) end++;
    const child = yield* build(leaves, start, end, depth + 1);
    branch.kinds[nibble] = Kind.inner;
    branch.refLengths[nibble] = child.ref.length;
    branch.refs.set(child.ref, nibble * HASH_LENGTH);
    children.push(child);
    start = end;
  }
  return { ...refOf(writeBranch(branch), depth), depth, first: from, children, isLeaf: false };
}

/** The reference to the node just written; the root has a hash however short its node. */
function refOf(length: number, depth: number): Pick<Built, "hash" | "ref"> {
  if (length < HASH_LENGTH && depth > 0) return { hash: ZERO_HASH, ref: keccakScratch.slice(0, length) };
  const hash = hashScratch(length).slice();
  return { hash, ref: hash };
}

function pathOf(key: Uint8Array, depth: number): string {
  let path = "";
  for (let i = 0; i < depth; i++) path += nibbleAt(key, i).toString(16);
  return path;
}
