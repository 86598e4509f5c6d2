import { LIMB_BITS, LIMBS } from "./layout.ts";

const SIZE = 1 << LIMB_BITS;

/** Numbers of 32 bytes, put into lanes of elements and taken from them. */
export class Elements {
  readonly #limbs: Int16Array;

  constructor(memory: ArrayBuffer) {
    this.#limbs = new Int16Array(memory);
  }

  /** Puts a number below 2^256, big-endian, into a lane of the element at an address. */
  put(element: number, lane: number, bytes: Uint8Array): void {
    let at = element / 2 + 2 * lane;
    let rest = 0;
    let bits = 0;
    let limb = 0;
    for (let i = 31; i >= 0; i--) {
      rest += (bytes[i] as number) << bits;
      bits += 8;
      if (bits < LIMB_BITS && i > 0) continue;
      // The upper half of a limb's range is negative, and carries.
      let value = rest & (SIZE - 1);
      rest >>= LIMB_BITS;
      bits -= LIMB_BITS;
      if (value >= SIZE / 2 && limb < LIMBS - 1) {
        value -= SIZE;
        rest++;
      }
      this.#limbs[at] = value;
      at += limb++ % 2 === 0 ? 1 : 7;
    }
  }

  /** Takes the number in a lane of a canonical element, 32 bytes, big-endian. */
  take(element: number, lane: number, to: Uint8Array, offset: number): void {
    let at = element / 2 + 2 * lane;
    let rest = 0;
    let bits = 0;
    let limb = 0;
    for (let i = offset + 31; i >= offset; i--) {
      if (bits < 8 && limb < LIMBS) {
        rest |= (this.#limbs[at] as number) << bits;
        at += limb++ % 2 === 0 ? 1 : 7;
        bits += LIMB_BITS;
      }
      to[i] = rest;
      rest >>= 8;
      bits -= 8;
    }
  }
}
