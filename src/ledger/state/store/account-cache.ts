import type { Account } from "../../../protocol/account/account.ts";
import { type Address, equalBytes } from "../../../protocol/primitives/bytes.ts";
import type { CacheUse } from "../../../protocol/primitives/lru.ts";
import { hashLimbs } from "../journal/limb-tables.ts";

interface Kept {
  readonly address: Address;
  readonly account: Account | undefined;
}

/** Accounts that are kept; a power of two. */
const PLACES = 16_384;
const LIMBS = 5;
const limbs = new Uint32Array(LIMBS);

/**
 * A direct-mapped cache of decoded accounts of the latest state by address, absent ones too: no bookkeeping, and a
 * look-up costs a twentieth of a read from the table.
 */
export class AccountCache {
  readonly #places: (Kept | undefined)[] = new Array(PLACES).fill(undefined);

  #hits = 0;
  #misses = 0;

  get use(): CacheUse {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** The account as `read` gives it, or as it was kept. */
  get(address: Address, read: (address: Address) => Account | undefined): Account | undefined {
    const place = placeOf(address);
    const kept = this.#places[place];
    if (kept !== undefined && equalBytes(kept.address, address)) {
      this.#hits++;
      return kept.account;
    }
    this.#misses++;
    const account = read(address);
    this.#places[place] = { address: address.slice(), account };
    return account;
  }

  /** Forgets an account that changed. */
  delete(address: Address): void {
    this.#places[placeOf(address)] = undefined;
  }
}

function placeOf(address: Address): number {
  for (let limb = 0, at = 0; limb < LIMBS; limb++, at += 4) {
    limbs[limb] =
      ((address[at] as number) << 24) |
      ((address[at + 1] as number) << 16) |
      ((address[at + 2] as number) << 8) |
      (address[at + 3] as number);
  }
  return hashLimbs(limbs, 0, LIMBS, 0) & (PLACES - 1);
}
