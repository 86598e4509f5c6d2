import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { RANDOM_START_TABLE } from "./random-table.ts";

const LENGTH = 607;
const TAP = 273;
const LEHMER_MODULUS = 2_147_483_647;
const LEHMER_FACTOR = 48_271;
const LEHMER_FALLBACK = 89_482_311;

const startTable = Buffer.from(RANDOM_START_TABLE, "base64");

/**
 * Go's `math/rand` generator with a fixed seed: a 64-bit additive lagged Fibonacci generator (607, 273). It determines
 * committees and proposers, so it must be exact. Words are stored as two 32-bit halves: bigint arithmetic would dominate the
 * selection of a committee.
 */
export class GoRandom {
  readonly #high = new Uint32Array(LENGTH);
  readonly #low = new Uint32Array(LENGTH);
  #tap = 0;
  #feed = LENGTH - TAP;

  /** @param seed - signed, 64 bits */
  constructor(seed: bigint) {
    const lehmer = new Lehmer(seed);
    for (let i = 0; i < LENGTH; i++) {
      const [a, b, c] = [lehmer.next(), lehmer.next(), lehmer.next()];
      this.#high[i] = (a << 8) ^ (b >>> 12) ^ startTable.readUInt32BE(8 * i);
      this.#low[i] = (b << 20) ^ c ^ startTable.readUInt32BE(8 * i + 4);
    }
  }

  /** The next 64 bits. */
  next(): { readonly high: number; readonly low: number } {
    this.#tap = (this.#tap + LENGTH - 1) % LENGTH;
    this.#feed = (this.#feed + LENGTH - 1) % LENGTH;
    const low = (this.#low[this.#feed] as number) + (this.#low[this.#tap] as number);
    const carry = low > 0xffff_ffff ? 1 : 0;
    const high = (this.#high[this.#feed] as number) + (this.#high[this.#tap] as number) + carry;
    this.#low[this.#feed] = low;
    this.#high[this.#feed] = high;
    return { high: high >>> 0, low: low >>> 0 };
  }

  /** Fisher-Yates shuffle of a copy, like Go's `Shuffle`. */
  shuffled<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i--) swap(out, i, this.#below(i + 1));
    return out;
  }

  /** Naive shuffle of a copy, which swaps every element with any other, as used for validators before randao. */
  legacyShuffled<T>(list: readonly T[]): T[] {
    const out = [...list];
    for (let i = 0; i < out.length; i++) swap(out, i, this.#intn(out.length));
    return out;
  }

  /** Uniform in 0…n - 1 by remainder, like Go's `Intn`. */
  #intn(n: number): number {
    if ((n & (n - 1)) === 0) return this.#int31() & (n - 1);
    const max = 2 ** 31 - 1 - (2 ** 31 % n);
    let value = this.#int31();
    while (value > max) value = this.#int31();
    return value % n;
  }

  /** Uniform in 0…n - 1 by multiplication, as in Go's `Shuffle`; exact for n below 2²¹. */
  #below(n: number): number {
    let product = this.#uint32() * n;
    if (product % 2 ** 32 < n) {
      const threshold = (2 ** 32 - n) % n;
      while (product % 2 ** 32 < threshold) product = this.#uint32() * n;
    }
    return Math.floor(product / 2 ** 32);
  }

  #int31(): number {
    return this.next().high & 0x7fff_ffff;
  }

  #uint32(): number {
    const { high, low } = this.next();
    return ((high << 1) | (low >>> 31)) >>> 0;
  }
}

/** Seeds the generator's state: a 31-bit Lehmer generator. */
class Lehmer {
  #value: number;

  constructor(seed: bigint) {
    const reduced = Number(BigInt.asIntN(64, seed) % BigInt(LEHMER_MODULUS));
    this.#value = (reduced < 0 ? reduced + LEHMER_MODULUS : reduced) || LEHMER_FALLBACK;
    for (let i = 0; i < 20; i++) this.next();
  }

  next(): number {
    this.#value = (this.#value * LEHMER_FACTOR) % LEHMER_MODULUS;
    return this.#value;
  }
}

function swap<T>(list: T[], i: number, j: number): void {
  const kept = list[i] as T;
  list[i] = list[j] as T;
  list[j] = kept;
}

/** Seed of shuffles from randao on: the first 8 bytes of the parent's mix hash, signed. */
export function randaoSeed(mixHash: Hash): bigint {
  return new DataView(mixHash.buffer, mixHash.byteOffset, 8).getBigInt64(0);
}

/** Seed of shuffles before randao: the first 15 hex digits of a block hash. */
export function legacySeed(hash: Hash): bigint {
  return new DataView(hash.buffer, hash.byteOffset, 8).getBigUint64(0) >> 4n;
}
