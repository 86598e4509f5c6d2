/** A key, or value, of one byte. */
export const key = (n: number): Uint8Array => Uint8Array.of(n);
export const one = key(1);

/** Replays a record where the log must have none. */
export function unexpected(): never {
  throw new Error("nothing to replay");
}
