import { keccak256 } from "../crypto/keccak.ts";
import { concat, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";
import { orderedTrieRoot } from "./ordered-trie.ts";

/**
 * Root over a block's transactions or receipts, by the governance parameter `deriveShaImpl`.
 * @param implementation - 0 trie of Ethereum, 1 binary tree of hashes, 2 hash over the joined items
 * @param items - the encoding of each transaction or receipt
 */
export function deriveSha(implementation: number, items: readonly Uint8Array[]): Hash {
  if (implementation === 0) return orderedTrieRoot(items);
  if (implementation === 1) return binaryTreeRoot(items.map((item) => keccak256(item)));
  return keccak256(concat(...items));
}

/** Hashes neighbours in pairs until one is left; an odd level repeats its last hash. */
function binaryTreeRoot(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) return keccak256(EMPTY_BYTES);
  let level = leaves;
  while (level.length > 1) {
    const parents: Hash[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Hash;
      parents.push(keccak256(concat(left, level[i + 1] ?? left)));
    }
    level = parents;
  }
  return level[0] as Hash;
}
