import type { Account } from "../../../protocol/account/account.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../state.ts";
import { hashLimbs, TableMemory } from "./limb-tables.ts";

/**
 * One account as a journal sees it. Only the journal changes an entry. The `…At` fields hold the number of the
 * transaction for which a flag is set, so that the next transaction starts with all flags cleared at no cost.
 */
export interface AccountEntry {
  readonly address: Address;
  /** Before the block. */
  readonly base: Account | undefined;
  account: Account | undefined;
  /** Undefined until first read. */
  code: Uint8Array | undefined;
  /** Owner of the slots in the slot table; renewed when the account is recreated with empty storage. */
  storageId: number;
  /** `storageId` before the block. */
  readonly firstStorageId: number;
  /** `ALWAYS_WARM` for the accounts of `keepWarm`. */
  warmAt: number;
  touchedAt: number;
  destroyedAt: number;
  createdAt: number;
  /** Checkpoint under which the entry was last saved in the undo log. */
  checkpoint: number;
  /** Key of the code in an EVM engine's cache; belongs to `account.codeHash` and is dropped with the code. */
  codeKey: string | undefined;
}

/** Later than any transaction. */
const ALWAYS_WARM = 2 ** 30 - 1;
const NONE: ReadonlySet<number> = new Set();

/** Limbs per address: five 32-bit words, least significant first, as in an EVM word. */
const LIMBS = 5;
const scratch = new Uint32Array(LIMBS);
/** Initial capacity of a table. */
const FIRST_ENTRIES = 16;

/** Accounts of a journal by address: an open-addressing hash table whose look-ups do not allocate. */
export class AccountTable {
  readonly entries: AccountEntry[] = [];
  readonly #reader: StateReader;
  readonly #newStorageId: (address: Address, account: Account | undefined) => number;
  #keys: Uint32Array;
  /** Index of an entry + 1; 0 = free. */
  #buckets: Int32Array;
  #alwaysWarm = NONE;

  constructor(reader: StateReader, newStorageId: (address: Address, account: Account | undefined) => number) {
    this.#reader = reader;
    this.#newStorageId = newStorageId;
    const memory = new TableMemory(FIRST_ENTRIES * (LIMBS + 2));
    this.#keys = memory.take(Uint32Array, FIRST_ENTRIES * LIMBS);
    this.#buckets = memory.take(Int32Array, FIRST_ENTRIES * 2);
  }

  /** Makes the accounts at these numeric addresses warm in every transaction from now on; replaces the previous set. */
  keepWarm(numbers: ReadonlySet<number>): void {
    if (this.#alwaysWarm === numbers) return;
    this.#alwaysWarm = numbers;
    for (const [index, entry] of this.entries.entries()) {
      if (entry.warmAt === ALWAYS_WARM) entry.warmAt = 0;
      if (this.#isAlwaysWarm(this.#keys, index * LIMBS)) entry.warmAt = ALWAYS_WARM;
    }
  }

  #isAlwaysWarm(words: Uint32Array, at: number): boolean {
    if (((words[at + 1] as number) | (words[at + 2] as number) | (words[at + 3] as number)) !== 0)
      return false;
    return words[at + 4] === 0 && this.#alwaysWarm.has(words[at] as number);
  }

  /** The entry of a 20-byte address; reads the account on first use. */
  of(address: Address): AccountEntry {
    for (let limb = 0, at = 16; limb < LIMBS; limb++, at -= 4) {
      scratch[limb] =
        ((address[at] as number) << 24) |
        ((address[at + 1] as number) << 16) |
        ((address[at + 2] as number) << 8) |
        (address[at + 3] as number);
    }
    return this.ofLimbs(scratch, 0);
  }

  /** The entry of the address in the low 160 bits of the little-endian word at index `at` of `words`. */
  ofLimbs(words: Uint32Array, at: number): AccountEntry {
    const mask = this.#buckets.length - 1;
    const keys = this.#keys;
    for (let i = hashLimbs(words, at, LIMBS, 0) & mask; ; i = (i + 1) & mask) {
      const place = this.#buckets[i] as number;
      if (place === 0) return this.#insert(i, words, at);
      const key = (place - 1) * LIMBS;
      if (
        keys[key] === words[at] &&
        keys[key + 1] === words[at + 1] &&
        keys[key + 2] === words[at + 2] &&
        keys[key + 3] === words[at + 3] &&
        keys[key + 4] === words[at + 4]
      ) {
        return this.entries[place - 1] as AccountEntry;
      }
    }
  }

  #insert(place: number, words: Uint32Array, at: number): AccountEntry {
    const index = this.entries.length;
    const address = new Uint8Array(20);
    for (let limb = 0, byte = 19; limb < LIMBS; limb++) {
      let word = words[at + limb] as number;
      for (let i = 0; i < 4; i++, word >>>= 8) address[byte--] = word;
    }
    const account = this.#reader.account(address);
    const storageId = this.#newStorageId(address, account);
    const entry: AccountEntry = {
      address,
      base: account,
      account,
      code: undefined,
      storageId,
      firstStorageId: storageId,
      warmAt: this.#isAlwaysWarm(words, at) ? ALWAYS_WARM : 0,
      touchedAt: 0,
      destroyedAt: 0,
      createdAt: 0,
      checkpoint: 0,
      codeKey: undefined,
    };
    this.entries.push(entry);
    if ((index + 1) * LIMBS > this.#keys.length) this.#growKeys();
    for (let limb = 0; limb < LIMBS; limb++) {
      this.#keys[index * LIMBS + limb] = words[at + limb] as number;
    }
    this.#buckets[place] = index + 1;
    if (this.entries.length * 2 > this.#buckets.length) this.#growBuckets();
    return entry;
  }

  #growKeys(): void {
    const keys = new Uint32Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
  }

  #growBuckets(): void {
    const buckets = new Int32Array(this.#buckets.length * 2);
    const mask = buckets.length - 1;
    for (let index = 0; index < this.entries.length; index++) {
      let i = hashLimbs(this.#keys, index * LIMBS, LIMBS, 0) & mask;
      while (buckets[i] !== 0) i = (i + 1) & mask;
      buckets[i] = index + 1;
    }
    this.#buckets = buckets;
  }
}
