/** Joins pieces into new memory, one step per piece. */
export function* join(
  pieces: readonly Uint8Array[],
  total: number,
): Generator<void, Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
    yield;
  }
  return whole;
}
