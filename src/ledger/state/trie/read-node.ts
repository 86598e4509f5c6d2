import { hashScratch, keccakScratch } from "../../../protocol/crypto/keccak.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { Branch, HASH_LENGTH, Kind, readBranchRecord } from "./branch.ts";
import { setNibble } from "./nibbles.ts";
import { writeBranch, writeExtension, writeLeaf } from "./node-rlp.ts";
import { isBranchRecord, readExtensionRecord, readRootLeafRecord } from "./records.ts";
import type { Trie } from "./trie.ts";

/** Position of a node in a trie. */
export interface TriePosition {
  /** A 32-byte key whose path leads through the node; for a leaf, its own. */
  readonly key: Uint8Array;
  /** Nibbles of the path above the node. */
  readonly depth: number;
  readonly isLeaf: boolean;
}

/** A node with the children it refers to by hash. */
export interface TrieNode {
  readonly hash: Hash;
  readonly rlp: Uint8Array;
  /** Children that are not embedded. */
  readonly children: readonly { readonly hash: Hash; readonly position: TriePosition }[];
  /** Key of a leaf. */
  readonly leafKey?: Uint8Array;
}

/** The position of a root. */
export const ROOT_POSITION: TriePosition = { key: new Uint8Array(32), depth: 0, isLeaf: false };

/** The node at a position, whatever its hash; undefined if there is none. */
export function readNode(trie: Trie, { key, depth, isLeaf }: TriePosition): TrieNode | undefined {
  if (isLeaf) return leafNode(trie, key, depth);
  const record = trie.nodes.get(key, depth)?.slice();
  if (record === undefined) return undefined;
  const rootLeaf = depth === 0 ? readRootLeafRecord(record) : undefined;
  if (rootLeaf) return leafNode(trie, rootLeaf, 0);
  const extension = readExtensionRecord(record);
  if (extension) {
    const { nibbles, ref } = extension;
    const child = key.slice();
    for (const [i, nibble] of nibbles.entries()) setNibble(child, depth + i, nibble);
    const position = { key: child, depth: depth + nibbles.length, isLeaf: false };
    const children = ref.length === HASH_LENGTH ? [{ hash: ref, position }] : [];
    return { ...written(writeExtension(nibbles, ref)), children };
  }
  return isBranchRecord(record) ? branchNode(record, key, depth) : undefined;
}

function branchNode(record: Uint8Array, key: Uint8Array, depth: number): TrieNode {
  const branch = new Branch();
  readBranchRecord(record, key, depth, branch);
  const node = written(writeBranch(branch));
  const children: TrieNode["children"][number][] = [];
  for (let child = 0; child < branch.kinds.length; child++) {
    if (branch.kinds[child] === Kind.none || branch.refLengths[child] !== HASH_LENGTH) continue;
    const isLeaf = branch.kinds[child] === Kind.leaf;
    const path = isLeaf ? branch.leafKey(child).slice() : key.slice();
    setNibble(path, depth, child);
    children.push({ hash: branch.ref(child).slice(), position: { key: path, depth: depth + 1, isLeaf } });
  }
  return { ...node, children };
}

function leafNode(trie: Trie, key: Uint8Array, depth: number): TrieNode | undefined {
  const value = trie.leaf(key);
  return value && { ...written(writeLeaf(key, depth, value)), children: [], leafKey: key };
}

/** The node just written to the scratch buffer. */
function written(length: number): { hash: Hash; rlp: Uint8Array } {
  const rlp = keccakScratch.slice(0, length);
  return { hash: hashScratch(length).slice(), rlp };
}
