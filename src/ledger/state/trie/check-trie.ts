import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { hashScratch, keccakScratch } from "../../../protocol/crypto/keccak.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { StateError } from "../errors.ts";
import { Branch, HASH_LENGTH, Kind, readBranchRecord } from "./branch.ts";
import { setNibble } from "./nibbles.ts";
import { writeBranch, writeExtension, writeLeaf } from "./node-rlp.ts";
import { isBranchRecord, readExtensionRecord, readRootLeafRecord } from "./records.ts";
import type { Trie } from "./trie.ts";

/**
 * Rehashes a whole trie, comparing every node and leaf with the reference in its parent.
 * @param onLeaf - called with each key, in order; the key is valid during the call
 * @returns the number of records of the trie
 * @throws StateError `STATE_DAMAGED`
 */
export function checkTrie(trie: Trie, root: Hash, onLeaf: (key: Uint8Array) => void): number {
  if (equalBytes(root, EMPTY_ROOT)) return 0;
  const check = new TrieCheck(trie, onLeaf);
  check.node(new Uint8Array(32), 0, root);
  return check.records;
}

class TrieCheck {
  readonly #trie: Trie;
  readonly #onLeaf: (key: Uint8Array) => void;
  records = 0;

  constructor(trie: Trie, onLeaf: (key: Uint8Array) => void) {
    this.#trie = trie;
    this.#onLeaf = onLeaf;
  }

  /** Checks the node at the first `depth` nibbles of `path`; the rest of `path` is overwritten. */
  node(path: Uint8Array, depth: number, ref: Uint8Array): void {
    const record = this.#trie.nodes.get(path, depth)?.slice();
    if (!record) throw new StateError("STATE_DAMAGED", `a trie node at depth ${depth} is missing`, { depth });
    this.records++;
    const leafKey = depth === 0 ? readRootLeafRecord(record) : undefined;
    const extension = readExtensionRecord(record);
    if (leafKey) this.#leaf(leafKey, 0, ref);
    else if (extension) {
      compare(writeExtension(extension.nibbles, extension.ref), ref, depth);
      for (const [i, nibble] of extension.nibbles.entries()) setNibble(path, depth + i, nibble);
      this.node(path, depth + extension.nibbles.length, extension.ref);
    } else if (isBranchRecord(record)) this.#branch(record, path, depth, ref);
    else throw new StateError("STATE_DAMAGED", "unknown trie record", { depth });
  }

  #branch(record: Uint8Array, path: Uint8Array, depth: number, ref: Uint8Array): void {
    const branch = new Branch();
    readBranchRecord(record, path, depth, branch);
    compare(writeBranch(branch), ref, depth);
    for (let child = 0; child < 16; child++) {
      if (branch.kinds[child] === Kind.leaf) this.#leaf(branch.leafKey(child), depth + 1, branch.ref(child));
      if (branch.kinds[child] !== Kind.inner) continue;
      setNibble(path, depth, child);
      this.node(path, depth + 1, branch.ref(child));
    }
  }

  #leaf(key: Uint8Array, depth: number, ref: Uint8Array): void {
    const value = this.#trie.leaf(key);
    if (!value) throw new StateError("STATE_DAMAGED", "a leaf is missing", { depth });
    compare(writeLeaf(key, depth, value), ref, depth);
    this.#onLeaf(key);
  }
}

/** Compares the node in the scratch buffer with its reference; a root is a hash however short its node. */
function compare(length: number, ref: Uint8Array, depth: number): void {
  const actual = ref.length < HASH_LENGTH ? keccakScratch.subarray(0, length) : hashScratch(length);
  if (!equalBytes(actual, ref))
    throw new StateError("STATE_DAMAGED", `a trie node at depth ${depth} does not hash to its reference`, {
      depth,
    });
}
