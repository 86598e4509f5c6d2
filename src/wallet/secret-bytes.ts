/**
 * Concatenates the parts of a secret in memory that can be reliably overwritten; the parts are wiped.
 *
 * V8 keeps small typed arrays on its heap, where garbage collection and calls of native code leave copies behind that
 * cannot be wiped. A separate ArrayBuffer is allocated off the heap and never moved.
 */
export function takeSecret(...parts: readonly Uint8Array[]): Uint8Array {
  const secret = new Uint8Array(new ArrayBuffer(parts.reduce((length, part) => length + part.length, 0)));
  let offset = 0;
  for (const part of parts) {
    secret.set(part, offset);
    offset += part.length;
    part.fill(0);
  }
  return secret;
}

/** A copy of a secret, in memory that can be reliably overwritten too. */
export function copyOfSecret(secret: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new ArrayBuffer(secret.length));
  copy.set(secret);
  return copy;
}
