/** A hash as prefix, the longest path, and the depth. */
const MAX_KEY_BYTES = 32 + 32 + 1;

/**
 * Keys of node records: a prefix identifying the trie, the path with two nibbles per byte (zero-padded if odd), and its
 * length. Records thus lie near those of their subtree, and keys near the root are only a few bytes long.
 */
export class TriePath {
  readonly #prefixLength: number;
  readonly #buffer = new Uint8Array(MAX_KEY_BYTES);
  readonly #views: Uint8Array[] = [];

  constructor(prefix: Uint8Array) {
    this.#prefixLength = prefix.length;
    this.#buffer.set(prefix);
  }

  /** Record key for the first `depth` nibbles of `key`, in a buffer reused by the next call. */
  of(key: Uint8Array, depth: number): Uint8Array {
    const start = this.#prefixLength;
    const whole = depth >> 1;
    for (let i = 0; i < whole; i++) this.#buffer[start + i] = key[i] as number;
    let end = start + whole;
    if (depth & 1) this.#buffer[end++] = (key[whole] as number) & 0xf0;
    this.#buffer[end++] = depth;
    const known = this.#views[depth];
    if (known) return known;
    const view = this.#buffer.subarray(0, end);
    this.#views[depth] = view;
    return view;
  }
}
