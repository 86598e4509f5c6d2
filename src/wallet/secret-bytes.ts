/**
 * Joins the parts of a secret into memory that can be reliably overwritten; the parts are wiped.
 *
 * V8 keeps small typed arrays within its heap, where collecting garbage and lending them to native code leave copies
 * behind that nobody reaches any more. An ArrayBuffer of its own lies outside and is never moved.
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

/** The same secret once more, in memory of its own that can be overwritten, too. */
export function copyOfSecret(secret: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new ArrayBuffer(secret.length));
  copy.set(secret);
  return copy;
}
