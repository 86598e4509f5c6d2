/** Records of the inner nodes of one trie, by their path: the first `depth` nibbles of `key`. */
export interface TrieNodes {
  /** Valid until the next call. */
  get(key: Uint8Array, depth: number): Uint8Array | undefined;
  /** Copies the record; null deletes it. */
  set(key: Uint8Array, depth: number, record: Uint8Array | null): void;
}

/**
 * A Merkle-Patricia trie over keys of 32 bytes. Its leaves are rows of a flat table, its inner nodes are records under
 * their path, so that an update overwrites what it replaces and nothing needs to be collected later.
 */
export interface Trie {
  readonly nodes: TrieNodes;
  /** Value of a leaf that is in the trie; valid until the next call. */
  leaf(key: Uint8Array): Uint8Array | undefined;
}
