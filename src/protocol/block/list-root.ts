import { Keccak256, keccak256 } from "../crypto/keccak.ts";
import { concat, EMPTY_BYTES, type Hash } from "../primitives/bytes.ts";
import { orderedTrieRoot } from "./ordered-trie.ts";

/** Items or pairs that are hashed in one step. */
const HASHES_PER_STEP = 128;

/**
 * Root over a block's transactions or receipts, by the governance parameter `deriveShaImpl`.
 * @param implementation - 0 Ethereum's trie, 1 binary tree of hashes, 2 hash over the concatenated items
 * @param items - the encoding of each transaction or receipt
 */
export function deriveSha(implementation: number, items: readonly Uint8Array[]): Hash {
  const steps = deriveShaInSteps(implementation, items);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

/** As `deriveSha`, in steps of well below a millisecond if no item is large. */
export function* deriveShaInSteps(
  implementation: number,
  items: readonly Uint8Array[],
): Generator<void, Hash> {
  if (implementation === 0) return yield* orderedTrieRoot(items);
  if (implementation === 1) return yield* binaryTreeRoot(yield* inSteps(items, keccak256));
  const hash = new Keccak256();
  // Joined: the hash of a short part costs more than the copy.
  for (let i = 0; i < items.length; i += HASHES_PER_STEP) {
    hash.update(concat(...items.slice(i, i + HASHES_PER_STEP)));
    yield;
  }
  return hash.digest();
}

/** Hashes neighbours in pairs until one is left; an odd level repeats its last hash. */
function* binaryTreeRoot(leaves: readonly Hash[]): Generator<void, Hash> {
  if (leaves.length === 0) return keccak256(EMPTY_BYTES);
  let level = leaves;
  while (level.length > 1) {
    const children = level;
    const lefts = children.filter((_, i) => i % 2 === 0);
    level = yield* inSteps(lefts, (left, i) => keccak256(concat(left, children[2 * i + 1] ?? left)));
  }
  return level[0] as Hash;
}

function* inSteps<T, R>(items: readonly T[], act: (item: T, index: number) => R): Generator<void, R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i++) {
    if (i % HASHES_PER_STEP === HASHES_PER_STEP - 1) yield;
    results.push(act(items[i] as T, i));
  }
  return results;
}
