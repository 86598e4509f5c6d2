/** Maximum bytes that all peers together may have sent and this node has not processed. */
const MOST_BYTES = 256 << 20;

/**
 * Bytes received from peers and not processed: incomplete frames, and messages that wait. Each peer may have 32 MiB of them, so that a node
 * with many peers needs a limit for all: beyond it, the peer with the most is disconnected.
 */
export class ReceivedBytes {
  readonly #most: number;
  readonly #bytes = new Map<object, { held: number; readonly drop: () => void }>();
  #total = 0;

  constructor(most: number = MOST_BYTES) {
    this.#most = most;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Sets the bytes of a peer.
   * @param drop - disconnects it, after which it is forgotten
   */
  set(peer: object, held: number, drop: () => void): void {
    this.#total += held - (this.#bytes.get(peer)?.held ?? 0);
    this.#bytes.set(peer, { held, drop });
    while (this.#total > this.#most) this.#dropLargest();
  }

  forget(peer: object): void {
    this.#total -= this.#bytes.get(peer)?.held ?? 0;
    this.#bytes.delete(peer);
  }

  #dropLargest(): void {
    const [first, ...others] = this.#bytes;
    if (first === undefined) return;
    const [peer, { drop }] = others.reduce((most, one) => (one[1].held > most[1].held ? one : most), first);
    this.forget(peer);
    drop();
  }
}
