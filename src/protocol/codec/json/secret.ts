/**
 * A string of a request that is a secret, in UTF-8 that can be overwritten: a string of JavaScript stays in memory for as long as
 * V8 likes. Nothing shows what it holds, `JSON.stringify` and an inspector included.
 */
export class SecretText {
  readonly #bytes: Uint8Array;

  /** @param bytes - taken over; in an ArrayBuffer of their own, as V8 moves those of small arrays about */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Lent until the call ends; zeros afterwards. */
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

/** A secret as a string, for those who need one: it stays in memory. */
export function secretString(secret: Secret): string {
  return typeof secret === "string"
    ? secret
    : new TextDecoder("utf-8", { ignoreBOM: true }).decode(secret.bytes);
}
