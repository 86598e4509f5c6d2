import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { keccakScratch } from "../../../protocol/crypto/keccak.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { StateError } from "../errors.ts";
import { Branch, HASH_LENGTH, Kind, readBranchRecord } from "./branch.ts";
import { nibbleAt } from "./nibbles.ts";
import { writeBranch, writeExtension, writeLeaf } from "./node-rlp.ts";
import { isBranchRecord, readExtensionRecord, readRootLeafRecord } from "./records.ts";
import type { Trie } from "./trie.ts";

/**
 * The Merkle proof of a key: RLP of the nodes from the root to its leaf, or to the point where its path diverges, without
 * nodes embedded in their parent. Empty for an empty trie. @see EIP-1186
 * @throws StateError `STATE_DAMAGED`
 */
export function prove(trie: Trie, root: Hash, key: Uint8Array): Uint8Array[] {
  const proof: Uint8Array[] = [];
  if (equalBytes(root, EMPTY_ROOT)) return proof;
  const leafKey = readRootLeafRecord(recordAt(trie, key, 0));
  if (leafKey) addLeaf(proof, trie, leafKey.slice(), 0);
  else
    for (let depth: number | undefined = 0; depth !== undefined; ) depth = addInner(proof, trie, key, depth);
  return proof;
}

/** Adds the node at `depth` on the path of `key`. @returns the depth of the next one; undefined at the end */
function addInner(proof: Uint8Array[], trie: Trie, key: Uint8Array, depth: number): number | undefined {
  const record = recordAt(trie, key, depth);
  const extension = readExtensionRecord(record);
  if (extension) {
    addNode(proof, writeExtension(extension.nibbles, extension.ref));
    const follows = extension.nibbles.every((nibble, i) => nibble === nibbleAt(key, depth + i));
    return follows ? depth + extension.nibbles.length : undefined;
  }
  if (!isBranchRecord(record)) throw new StateError("STATE_DAMAGED", "unknown trie record", { depth });
  const branch = new Branch();
  readBranchRecord(record, key, depth, branch);
  addNode(proof, writeBranch(branch));
  const child = nibbleAt(key, depth);
  if (branch.kinds[child] === Kind.inner) return depth + 1;
  if (branch.kinds[child] === Kind.leaf) addLeaf(proof, trie, branch.leafKey(child), depth + 1);
  return undefined;
}

function addLeaf(proof: Uint8Array[], trie: Trie, key: Uint8Array, depth: number): void {
  const value = trie.leaf(key);
  if (!value) throw new StateError("STATE_DAMAGED", "a leaf is missing", { depth });
  addNode(proof, writeLeaf(key, depth, value));
}

/** Adds a node unless it is embedded; the root is part of a proof however short. */
function addNode(proof: Uint8Array[], length: number): void {
  if (length >= HASH_LENGTH || proof.length === 0) proof.push(keccakScratch.slice(0, length));
}

function recordAt(trie: Trie, key: Uint8Array, depth: number): Uint8Array {
  const record = trie.nodes.get(key, depth);
  if (!record) throw new StateError("STATE_DAMAGED", "a trie node is missing", { depth });
  return record;
}
