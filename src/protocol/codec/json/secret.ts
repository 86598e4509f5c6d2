/**
 * A string of a request that is a secret, in UTF-8 that can be overwritten: a JavaScript string stays in memory for as long as
 * V8 likes. Its contents are never shown, not even by `JSON.stringify` or an inspector.
 */
export class SecretText {
  readonly #bytes: Uint8Array;

  /** @param bytes - taken over; in an ArrayBuffer of their own, as V8 may copy those of small arrays */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Valid until the call ends; zeros afterwards. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Overwrites the bytes with zeros. */
  wipe(): void {
    this.#bytes.fill(0);
  }
}

/** A secret as a caller gave it: text from this process, bytes from a connection. */
export type Secret = string | SecretText;

/** The UTF-8 of a secret, in a buffer of its own that the caller wipes. */
export function secretBytes(secret: Secret): Uint8Array {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret.bytes;
  const copy = new Uint8Array(new ArrayBuffer(bytes.length));
  copy.set(bytes);
  if (typeof secret === "string") bytes.fill(0);
  return copy;
}

/** A secret as a string, for callers that need one: it stays in memory. */
export function secretString(secret: Secret): string {
  return typeof secret === "string"
    ? secret
    : new TextDecoder("utf-8", { ignoreBOM: true }).decode(secret.bytes);
}
