/** Records of the inner nodes of a trie by path: the first `depth` nibbles of `key`. */
export interface TrieNodes {
  /** Valid until the next call. */
  get(key: Uint8Array, depth: number): Uint8Array | undefined;
  /** Copies the record; null deletes it. */
  set(key: Uint8Array, depth: number, record: Uint8Array | null): void;
}

/**
 * A Merkle-Patricia trie over 32-byte keys. Its leaves are rows of a flat table, its inner nodes are stored by path, so
 * that an update overwrites the nodes it replaces and no garbage needs collecting.
 */
export interface Trie {
  readonly nodes: TrieNodes;
  /** Value of a leaf that is in the trie; valid until the next call. */
  leaf(key: Uint8Array): Uint8Array | undefined;
}
