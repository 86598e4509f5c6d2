/** A 64-bit limb of a word: a constant, or the number of the local that holds it. */
export type Limb = bigint | number;
/** A word on the stack: four limbs, the least significant first. */
export type Word = readonly [Limb, Limb, Limb, Limb];

/** Numbers of the limbs of a word, the lowest first. */
export const INDEXES = [0, 1, 2, 3] as const;

/** A word whose limbs are created one after the other, lowest first. */
export function wordOf<L extends Limb>(limb: (index: (typeof INDEXES)[number]) => L): readonly [L, L, L, L] {
  return [limb(0), limb(1), limb(2), limb(3)];
}

/** The i64 locals of a function that hold limbs: each counts who refers to it and is free again when nobody does. */
export class Locals {
  readonly #first: number;
  readonly #references: number[] = [];
  readonly #free: number[] = [];
  /** The i32 that a limb, 0 or 1, was made of, while that is still there. */
  readonly #flags: Map<number, number> = new Map();
  readonly #carries: Set<number> = new Set();

  /** @param first - number of the first local that may be used */
  constructor(first: number) {
    this.#first = first;
  }

  /** How many were ever in use at once. */
  get count(): number {
    return this.#references.length;
  }

  /** How many are in use. */
  get used(): number {
    return this.#references.length - this.#free.length;
  }

  /** A free local, with one reference to it. */
  take(): number {
    const local = this.#free.pop() ?? this.#first + this.#references.length;
    this.#references[local - this.#first] = 1;
    this.#flags.delete(local);
    this.#carries.delete(local);
    return local;
  }

  /** Notes that a limb is a carry, or a limb all of whose bits are one: 0 as long as nothing overflows. */
  noteCarry(limb: number): number {
    this.#carries.add(limb);
    return limb;
  }

  /** Whether a limb is 0 as long as nothing overflows. */
  isCarry(limb: Limb): boolean {
    return typeof limb === "bigint" ? limb === 0n : this.#carries.has(limb);
  }

  /** Notes that a limb is what the i32 local `flag` holds. */
  noteFlag(limb: number, flag: number): void {
    for (const [other, known] of this.#flags) if (known === flag) this.#flags.delete(other);
    this.#flags.set(limb, flag);
  }

  /** The i32 local that holds a limb too. */
  flagOf(limb: number): number | undefined {
    return this.#flags.get(limb);
  }

  /** Adds a reference to a limb. */
  share<L extends Limb>(limb: L): L {
    if (typeof limb === "number") this.#references[limb - this.#first] = this.#count(limb) + 1;
    return limb;
  }

  /** Releases each limb. */
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

/** The word with this value below 2^256. */
export function constantWord(value: bigint): Word {
  return wordOf((i) => BigInt.asUintN(64, value >> BigInt(i * 64)));
}

/** A word whose lowest limb is this and whose others are zero. */
export function smallWord(limb: Limb): Word {
  return [limb, 0n, 0n, 0n];
}

/** The value of a word all of whose limbs are constant. */
export function constantOf(word: Word): bigint | undefined {
  let value = 0n;
  for (const limb of [...word].reverse()) {
    if (typeof limb === "number") return undefined;
    value = (value << 64n) | limb;
  }
  return value;
}
