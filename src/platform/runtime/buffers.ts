/** Bytes of the shortest buffer for input that arrives in pieces. */
const LEAST_BUFFER = 4096;

/** A copy in memory of its own: the bytes may be part of a larger buffer, which they would keep alive. */
export function copyInOwnMemory(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * Makes room for input that arrives in pieces. A buffer that is too short is replaced by one of at least twice its length, so that
 * each byte is copied once or twice, however small the pieces are.
 * @param used - bytes of the buffer that are in use
 * @param needed - bytes that it must have room for
 */
export function withRoom(buffer: Buffer, used: number, needed: number): Buffer {
  if (needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length, LEAST_BUFFER));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
