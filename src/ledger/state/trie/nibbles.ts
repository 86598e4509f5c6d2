/** Nibbles of a 32-byte key. */
export const KEY_NIBBLES = 64;

/** Nibble `depth` of a key, the high nibble of each byte first. */
export function nibbleAt(key: Uint8Array, depth: number): number {
  const byte = key[depth >> 1] as number;
  return depth & 1 ? byte & 15 : byte >> 4;
}

/** Sets nibble `depth` of a key, the high nibble of each byte first. */
export function setNibble(key: Uint8Array, depth: number, nibble: number): void {
  const byte = key[depth >> 1] as number;
  key[depth >> 1] = depth & 1 ? (byte & 0xf0) | nibble : (byte & 15) | (nibble << 4);
}

/** Length of the common prefix of two keys in nibbles, given that they share the first `known`. */
export function sharedNibbles(a: Uint8Array, b: Uint8Array, known: number): number {
  let i = known >> 1;
  while (i < 32 && a[i] === b[i]) i++;
  if (i === 32) return KEY_NIBBLES;
  return (a[i] as number) >> 4 === (b[i] as number) >> 4 ? 2 * i + 1 : 2 * i;
}
