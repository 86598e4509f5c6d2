import type { Account } from "../../../protocol/account/account.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { CacheUsage } from "../../../protocol/primitives/lru.ts";
import { hashLimbs } from "../journal/limb-tables.ts";

interface CachedAccount {
  readonly address: Address;
  readonly account: Account | undefined;
}

/** Accounts that are cached; a power of two. */
const BUCKETS = 16_384;
const LIMBS = 5;
const limbs = new Uint32Array(LIMBS);

/**
 * A direct-mapped cache of decoded accounts of the latest state by address, including absent ones: no bookkeeping, and
 * a look-up costs a twentieth of a read from the table.
 */
export class AccountCache {
  readonly #buckets: (CachedAccount | undefined)[] = new Array(BUCKETS).fill(undefined);

  #hits = 0;
  #misses = 0;

  get use(): CacheUsage {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** The cached account, or else the one that `read` returns, which is cached. */
  get(address: Address, read: (address: Address) => Account | undefined): Account | undefined {
    const place = bucketOf(address);
    const cached = this.#buckets[place];
    if (cached !== undefined && equalBytes(cached.address, address)) {
      this.#hits++;
      return cached.account;
    }
    this.#misses++;
    const account = read(address);
    this.#buckets[place] = { address: address.slice(), account };
    return account;
  }

  /** Drops an account that has changed. */
  delete(address: Address): void {
    this.#buckets[bucketOf(address)] = undefined;
  }
}

function bucketOf(address: Address): number {
  for (let limb = 0, at = 0; limb < LIMBS; limb++, at += 4) {
    limbs[limb] =
      ((address[at] as number) << 24) |
      ((address[at + 1] as number) << 16) |
      ((address[at + 2] as number) << 8) |
      (address[at + 3] as number);
  }
  return hashLimbs(limbs, 0, LIMBS, 0) & (BUCKETS - 1);
}
