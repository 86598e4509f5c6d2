/** A byte queue filled and drained in chunks of different sizes; copies each byte once. */
export class ByteQueue {
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** Number of bytes queued. */
  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** The first `count` bytes, or all if fewer, without removing them. @returns possibly a view */
  peek(count: number): Uint8Array {
    const [first] = this.#pieces;
    if (first === undefined || first.length >= count) return first?.subarray(0, count) ?? new Uint8Array(0);
    const head = new Uint8Array(Math.min(count, this.#length));
    for (let i = 0, at = 0; at < head.length; i++) {
      const part = (this.#pieces[i] as Uint8Array).subarray(0, head.length - at);
      head.set(part, at);
      at += part.length;
    }
    return head;
  }

  /** Removes the first `count` bytes, which must be available. @returns a copy */
  take(count: number): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(count);
    let at = 0;
    let used = 0;
    for (const piece of this.#pieces) {
      if (at === count) break;
      const part = piece.subarray(0, count - at);
      taken.set(part, at);
      at += part.length;
      if (part.length < piece.length) this.#pieces[used] = piece.subarray(part.length);
      else used++;
    }
    this.#pieces.splice(0, used);
    this.#length -= count;
    return taken;
  }
}
