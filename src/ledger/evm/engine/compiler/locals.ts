/** A 64-bit limb of a word: a constant, or the number of the local that holds it. */
export type Limb = bigint | number;
/** A word on the stack: four limbs, the least significant first. */
export type Word = readonly [Limb, Limb, Limb, Limb];

/** Indexes of the limbs of a word, least significant first. */
export const INDEXES = [0, 1, 2, 3] as const;

/** A word whose limbs are created one after the other, least significant first. */
export function wordOf<L extends Limb>(limb: (index: (typeof INDEXES)[number]) => L): readonly [L, L, L, L] {
  return [limb(0), limb(1), limb(2), limb(3)];
}

/** The i64 locals of a function that hold limbs: reference-counted, and reused when free. */
export class Locals {
  readonly #first: number;
  readonly #references: number[] = [];
  readonly #free: number[] = [];
  /** The i32 local that a limb, 0 or 1, was extended from, until it is overwritten. */
  readonly #flags: Map<number, number> = new Map();
  readonly #carries: Set<number> = new Set();

  /** @param first - index of the first available local */
  constructor(first: number) {
    this.#first = first;
  }

  /** Maximum number in use at the same time. */
  get count(): number {
    return this.#references.length;
  }

  /** Number in use. */
  get used(): number {
    return this.#references.length - this.#free.length;
  }

  /** Allocates a local, with one reference to it. */
  take(): number {
    const local = this.#free.pop() ?? this.#first + this.#references.length;
    this.#references[local - this.#first] = 1;
    this.#flags.delete(local);
    this.#carries.delete(local);
    return local;
  }

  /** Marks a limb as a carry, or as a mask derived from one: 0 unless something overflows. */
  noteCarry(limb: number): number {
    this.#carries.add(limb);
    return limb;
  }

  /** Whether a limb is 0 unless something overflows. */
  isCarry(limb: Limb): boolean {
    return typeof limb === "bigint" ? limb === 0n : this.#carries.has(limb);
  }

  /** Records that the i32 local `flag` has the value of a limb. */
  noteFlag(limb: number, flag: number): void {
    for (const [other, known] of this.#flags) if (known === flag) this.#flags.delete(other);
    this.#flags.set(limb, flag);
  }

  /** The i32 local with the value of a limb. */
  flagOf(limb: number): number | undefined {
    return this.#flags.get(limb);
  }

  /** Adds a reference to a limb. */
  share<L extends Limb>(limb: L): L {
    if (typeof limb === "number") this.#references[limb - this.#first] = this.#count(limb) + 1;
    return limb;
  }

  /** Drops a reference to each limb. */
  release(...limbs: readonly Limb[]): void {
    for (const limb of limbs) {
      if (typeof limb === "bigint") continue;
      const left = this.#count(limb) - 1;
      this.#references[limb - this.#first] = left;
      if (left === 0) this.#free.push(limb);
    }
  }

  #count(local: number): number {
    return this.#references[local - this.#first] as number;
  }
}

/** The constant word with a value below 2^256. */
export function constantWord(value: bigint): Word {
  return wordOf((i) => BigInt.asUintN(64, value >> BigInt(i * 64)));
}

/** The word of a single limb. */
export function smallWord(limb: Limb): Word {
  return [limb, 0n, 0n, 0n];
}

/** The value of a constant word; undefined if any limb is not constant. */
export function constantOf(word: Word): bigint | undefined {
  let value = 0n;
  for (const limb of [...word].reverse()) {
    if (typeof limb === "number") return undefined;
    value = (value << 64n) | limb;
  }
  return value;
}
