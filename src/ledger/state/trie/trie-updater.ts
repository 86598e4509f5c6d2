import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { hashScratch, keccakScratch } from "../../../protocol/crypto/keccak.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { StateError } from "../errors.ts";
import { Batch, type Range } from "./batch.ts";
import {
  Branch,
  HASH_LENGTH,
  Kind,
  MAX_RECORD_BYTES,
  readBranchRecord,
  writeBranchRecord,
} from "./branch.ts";
import { KEY_NIBBLES, nibbleAt, setNibble, sharedNibbles } from "./nibbles.ts";
import { writeBranch, writeExtension, writeLeaf } from "./node-rlp.ts";
import {
  extensionRecord,
  isBranchRecord,
  readExtensionRecord,
  readRootLeafRecord,
  rootLeafRecord,
} from "./records.ts";
import type { Trie } from "./trie.ts";

/**
 * Updates tries in batches: the changes, sorted by key, are pushed down in one recursive pass, and each node above them
 * is hashed once on the way up. An updater can serve any number of tries, one after another; it owns the scratch memory.
 *
 * Each recursive step leaves the resulting node in the registers below: nothing (`Kind.none`), a leaf (`leafKey`,
 * `leafValue`) or a branch (`branchDepth`, `path`, `ref`), which `#setChild` then writes into the parent, behind an
 * extension if the branch lies deeper than the child's position.
 */
export class TrieUpdater {
  readonly #branches: Branch[] = [];
  /** Leaf values set by this batch in children of `#branches`. */
  readonly #values: LeafValue[][] = [];
  readonly #record = new Uint8Array(MAX_RECORD_BYTES);
  readonly #root = new Branch();
  readonly #rootValues: LeafValue[] = [];

  #trie!: Trie;
  #kind: Kind = Kind.none;
  #leafKey!: Uint8Array;
  #leafValue: LeafValue;
  #branchDepth = 0;
  #path!: Uint8Array;
  readonly #ref = new Uint8Array(HASH_LENGTH);
  #refLength = 0;

  /**
   * Applies changes and returns the new root.
   * @param root - current root of the trie
   * @param keys - 32 bytes each, distinct, in any order
   * @param values - leaf values by key; null deletes a key, which must be in the trie
   * @throws StateError `STATE_DAMAGED` when a record of the trie is missing
   */
  apply(trie: Trie, root: Hash, keys: readonly Uint8Array[], values: readonly (Uint8Array | null)[]): Hash {
    if (keys.length === 0) return root;
    this.#trie = trie;
    const batch = Batch.sorted(keys, values);
    this.#loadRoot(root, batch.key(0));
    this.#update(batch, { from: 0, to: keys.length }, 0, { branch: this.#root, child: 0 });
    this.#setChild(this.#root, this.#rootValues, 0, 0);
    const kind = this.#root.kinds[0];
    if (kind === Kind.leaf) trie.nodes.set(batch.key(0), 0, rootLeafRecord(this.#root.leafKey(0)));
    else if (kind === Kind.none) trie.nodes.set(batch.key(0), 0, null);
    return this.#rootHash();
  }

  /** Loads the root as the only child of a pseudo-branch above the trie. */
  #loadRoot(root: Hash, anyKey: Uint8Array): void {
    const top = this.#root;
    top.kinds[0] = Kind.none;
    if (equalBytes(root, EMPTY_ROOT)) return;
    const leafKey = readRootLeafRecord(this.#node(anyKey, 0));
    top.kinds[0] = leafKey ? Kind.leaf : Kind.inner;
    if (leafKey) top.leafKeys.set(leafKey);
    top.refLengths[0] = HASH_LENGTH;
    top.refs.set(root);
  }

  #rootHash(): Hash {
    if (this.#root.kinds[0] === Kind.none) return EMPTY_ROOT;
    const ref = this.#root.ref(0);
    if (ref.length === HASH_LENGTH) return ref.slice();
    keccakScratch.set(ref);
    return hashScratch(ref.length).slice();
  }

  /** Applies a range of the batch to a child `depth` nibbles deep. */
  #update(batch: Batch, range: Range, depth: number, { branch, child }: Child): void {
    const kind = branch.kinds[child];
    const leaf = kind === Kind.leaf ? branch.leafKey(child) : undefined;
    const alone = range.to - range.from === 1;
    if (kind === Kind.inner) this.#updateInner(batch, range, depth);
    else if (alone && (!leaf || equalBytes(leaf, batch.key(range.from)))) this.#setEntry(batch, range.from);
    else this.#build(batch.live(range, leaf), depth);
  }

  #updateInner(batch: Batch, range: Range, depth: number): void {
    const first = batch.key(range.from);
    const record = this.#node(first, depth);
    if (isBranchRecord(record)) this.#updateBranch(batch, range, depth, record);
    else this.#updateExtension(batch, range, depth, record);
    if (this.#kind !== Kind.inner) this.#trie.nodes.set(first, depth, null);
  }

  #updateExtension(batch: Batch, range: Range, depth: number, record: Uint8Array): void {
    const extension = readExtensionRecord(record);
    if (!extension) throw damaged(depth);
    const branchDepth = depth + extension.nibbles.length;
    const path = pathThrough(batch.key(range.from), depth, extension.nibbles);
    const shared = Math.min(
      sharedNibbles(batch.key(range.from), path, depth),
      sharedNibbles(batch.key(range.to - 1), path, depth),
    );
    if (shared >= branchDepth) {
      this.#updateBranch(batch, range, branchDepth, this.#node(path, branchDepth));
    } else {
      this.#setInner(path, branchDepth, extension.ref);
      this.#splitExtension(batch, range, shared);
    }
  }

  /** Creates a branch at `depth`, with the node in the registers as its first child. */
  #splitExtension(batch: Batch, range: Range, depth: number): void {
    const { branch, values } = this.#level(depth);
    branch.clear();
    this.#setChild(branch, values, nibbleAt(this.#path, depth), depth + 1);
    this.#updateChildren(batch, range, depth);
    this.#finishBranch(batch.key(range.from), depth);
  }

  #updateBranch(batch: Batch, range: Range, depth: number, record: Uint8Array): void {
    const { branch, values } = this.#level(depth);
    values.fill(undefined);
    readBranchRecord(record, batch.key(range.from), depth, branch);
    this.#updateChildren(batch, range, depth);
    this.#finishBranch(batch.key(range.from), depth);
  }

  #updateChildren(batch: Batch, { from, to }: Range, depth: number): void {
    const { branch, values } = this.#level(depth);
    for (let start = from; start < to; ) {
      const child = nibbleAt(batch.key(start), depth);
      const end = batch.endOfChild(start, to, depth);
      this.#update(batch, { from: start, to: end }, depth + 1, { branch, child });
      this.#setChild(branch, values, child, depth + 1);
      start = end;
    }
  }

  /** Builds the subtrie of the live entries, where there was no more than a leaf. */
  #build(batch: Batch, depth: number, { from, to }: Range = { from: 0, to: batch.length }): void {
    if (to === from) this.#kind = Kind.none;
    else if (to - from === 1) this.#setEntry(batch, from);
    else {
      const shared = sharedNibbles(batch.key(from), batch.key(to - 1), depth);
      this.#buildChildren(batch, { from, to }, shared);
      this.#finishBranch(batch.key(from), shared);
    }
  }

  #buildChildren(batch: Batch, { from, to }: Range, depth: number): void {
    const { branch, values } = this.#level(depth);
    branch.clear();
    for (let start = from; start < to; ) {
      const end = batch.endOfChild(start, to, depth);
      this.#build(batch, depth + 1, { from: start, to: end });
      this.#setChild(branch, values, nibbleAt(batch.key(start), depth), depth + 1);
      start = end;
    }
  }

  /** Encodes the changed branch at `depth`, or collapses it if it has fewer than two children left. */
  #finishBranch(key: Uint8Array, depth: number): void {
    const { branch, values } = this.#level(depth);
    const { count, last } = branch.children();
    if (count < 2) this.#trie.nodes.set(key, depth, null);
    if (count >= 2) this.#encodeBranch(branch, key, depth);
    else if (count === 0) this.#kind = Kind.none;
    else if (branch.kinds[last] === Kind.leaf) this.#setLeaf(branch.leafKey(last).slice(), values[last]);
    else this.#mergeOnlyChild(branch, last, key, depth);
  }

  /** Replaces a branch by its only remaining child, an inner node, whose path grows by the branch's nibble. */
  #mergeOnlyChild(branch: Branch, child: number, key: Uint8Array, depth: number): void {
    const path = key.slice();
    setNibble(path, depth, child);
    const extension = readExtensionRecord(this.#node(path, depth + 1));
    if (!extension) {
      this.#setInner(path, depth + 1, branch.ref(child));
    } else {
      const whole = pathThrough(path, depth + 1, extension.nibbles);
      this.#setInner(whole, depth + 1 + extension.nibbles.length, extension.ref);
      this.#trie.nodes.set(path, depth + 1, null);
    }
  }

  #encodeBranch(branch: Branch, key: Uint8Array, depth: number): void {
    this.#setRef(writeBranch(branch));
    this.#kind = Kind.inner;
    this.#branchDepth = depth;
    this.#path = key;
    const length = writeBranchRecord(branch, depth, this.#record);
    this.#trie.nodes.set(key, depth, this.#record.subarray(0, length));
  }

  #setEntry(batch: Batch, index: number): void {
    const value = batch.value(index);
    if (value === null) this.#kind = Kind.none;
    else this.#setLeaf(batch.key(index), value);
  }

  #setLeaf(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#kind = Kind.leaf;
    this.#leafKey = key;
    this.#leafValue = value;
  }

  #setInner(path: Uint8Array, branchDepth: number, ref: Uint8Array): void {
    this.#kind = Kind.inner;
    this.#path = path;
    this.#branchDepth = branchDepth;
    this.#ref.set(ref);
    this.#refLength = ref.length;
  }

  /** Writes the node in the registers into a child `depth` nibbles deep. */
  #setChild(branch: Branch, values: LeafValue[], child: number, depth: number): void {
    branch.kinds[child] = this.#kind;
    values[child] = undefined;
    if (this.#kind === Kind.none) return;
    if (this.#kind === Kind.leaf) {
      const value = this.#leafValue ?? this.#trie.leaf(this.#leafKey);
      if (!value) throw damaged(depth);
      this.#setRef(writeLeaf(this.#leafKey, depth, value));
      branch.leafKeys.set(this.#leafKey, child * 32);
      values[child] = this.#leafValue;
    } else if (this.#branchDepth > depth) this.#extend(depth);
    branch.refLengths[child] = this.#refLength;
    const offset = child * HASH_LENGTH;
    for (let i = 0; i < this.#refLength; i++) branch.refs[offset + i] = this.#ref[i] as number;
  }

  /** Puts an extension above the branch in the registers. */
  #extend(depth: number): void {
    const nibbles = Uint8Array.from({ length: this.#branchDepth - depth }, (_, i) =>
      nibbleAt(this.#path, depth + i),
    );
    const ref = this.#ref.subarray(0, this.#refLength);
    this.#trie.nodes.set(this.#path, depth, extensionRecord({ nibbles, ref }));
    this.#setRef(writeExtension(nibbles, ref));
  }

  /** Sets the reference of the node in the scratch buffer: its hash, or a short node itself. */
  #setRef(length: number): void {
    this.#refLength = Math.min(length, HASH_LENGTH);
    const from = length < HASH_LENGTH ? keccakScratch : hashScratch(length);
    for (let i = 0; i < this.#refLength; i++) this.#ref[i] = from[i] as number;
  }

  #node(key: Uint8Array, depth: number): Uint8Array {
    const record = this.#trie.nodes.get(key, depth);
    if (!record) throw damaged(depth);
    return record;
  }

  /** Scratch branch for a depth: only one per depth is in use at a time. */
  #level(depth: number): { readonly branch: Branch; readonly values: LeafValue[] } {
    let branch = this.#branches[depth];
    if (!branch) {
      branch = new Branch();
      this.#branches[depth] = branch;
      this.#values[depth] = new Array(16).fill(undefined);
    }
    return { branch, values: this.#values[depth] as LeafValue[] };
  }
}

/** Undefined: unchanged, so read from the trie. */
type LeafValue = Uint8Array | undefined;

interface Child {
  readonly branch: Branch;
  readonly child: number;
}

/** A key whose path leads to the branch below an extension. */
function pathThrough(key: Uint8Array, depth: number, nibbles: Uint8Array): Uint8Array {
  const path = new Uint8Array(KEY_NIBBLES / 2);
  path.set(key.subarray(0, (depth + 1) >> 1));
  for (let i = 0; i < nibbles.length; i++) setNibble(path, depth + i, nibbles[i] as number);
  return path;
}

function damaged(depth: number): StateError {
  return new StateError("STATE_DAMAGED", `a trie node or leaf at depth ${depth} is missing`, { depth });
}
