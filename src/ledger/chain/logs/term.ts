import { EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";

/**
 * A search term for logs: an address, or a topic with its position, hashed to a number below 2⁴⁸. Hashes may collide, so
 * logs found must still be compared.
 */
export type Term = number;

/** Length of a term in keys. */
export const TERM_BYTES = 6;

/** Position of the address; topics have 1 to 4. */
export const ADDRESS = 0;
const ANY = 255;

/** The term of an address (20 bytes, position 0) or of a topic (32 bytes, position 1 for the first). */
export function termOf(position: number, value: Uint8Array): Term {
  let low = position;
  let high = ~position;
  for (let i = 0; i < value.length; i += 4) {
    const word =
      (value[i] as number) |
      ((value[i + 1] as number) << 8) |
      ((value[i + 2] as number) << 16) |
      ((value[i + 3] as number) << 24);
    low = Math.imul(low ^ word, 0x9e3779b1);
    low ^= low >>> 15;
    high = Math.imul(high ^ word, 0x85ebca6b);
    high ^= high >>> 13;
  }
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x27d4eb2f);
  return (high >>> 16) * 2 ** 32 + (low >>> 0);
}

/** The term posted once for every block with logs. */
export const ANY_LOG: Term = termOf(ANY, EMPTY_BYTES);
