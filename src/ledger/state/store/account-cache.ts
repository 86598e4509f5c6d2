import type { Account } from "../../../protocol/account/account.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { CacheUsage } from "../../../protocol/primitives/lru.ts";
import { hashLimbs } from "../journal/limb-tables.ts";

/** Accounts that are cached; a power of two. */
const BUCKETS = 16_384;
const LIMBS = 5;
const limbs = new Uint32Array(LIMBS);

/**
 * A direct-mapped cache of decoded accounts of the latest state by address, including absent ones: no bookkeeping, and
 * a look-up costs a twentieth of a read from the table. Addresses are kept as numbers: as arrays, those of an edit of 10,000 accounts
 * would take 2 MB that survive V8's next collections.
 */
export class AccountCache {
  readonly #addresses = new Uint32Array(BUCKETS * LIMBS);
  /** Null: an empty bucket. */
  readonly #accounts: (Account | undefined | null)[] = new Array(BUCKETS).fill(null);

  #hits = 0;
  #misses = 0;

  get use(): CacheUsage {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** The cached account, or else the one that `read` returns, which is cached. */
  get(address: Address, read: (address: Address) => Account | undefined): Account | undefined {
    const bucket = bucketOf(address);
    const cached = this.#accounts[bucket];
    if (cached !== null && this.#isAt(bucket)) {
      this.#hits++;
      return cached;
    }
    this.#misses++;
    this.#accounts[bucket] = null;
    this.#addresses.set(limbs, bucket * LIMBS);
    const account = read(address);
    this.#accounts[bucket] = account;
    return account;
  }

  /** Drops an account that has changed. @param address - or a row that begins with it */
  delete(address: Uint8Array): void {
    this.#accounts[bucketOf(address)] = null;
  }

  /** Whether a bucket is that of the address in `limbs`. */
  #isAt(bucket: number): boolean {
    const at = bucket * LIMBS;
    for (let limb = 0; limb < LIMBS; limb++) if (this.#addresses[at + limb] !== limbs[limb]) return false;
    return true;
  }
}

/** The bucket of an address, which `limbs` then holds. */
function bucketOf(address: Uint8Array): number {
  for (let limb = 0, at = 0; limb < LIMBS; limb++, at += 4) {
    limbs[limb] =
      ((address[at] as number) << 24) |
      ((address[at + 1] as number) << 16) |
      ((address[at + 2] as number) << 8) |
      (address[at + 3] as number);
  }
  return hashLimbs(limbs, 0, LIMBS, 0) & (BUCKETS - 1);
}
