// Accounts that may be called without the host: warm, with code that is not a delegation. The host adds them; they are removed when
// the scope in which they were added is reverted, because it may have warmed or created them.
import {
  ACCOUNT_CODE, ACCOUNT_COUNT, ACCOUNT_INDEX, ACCOUNT_OWNER, ACCOUNT_PLACE, ACCOUNT_PLACES, ACCOUNT_SIZE, ACCOUNTS, MAX_ACCOUNTS,
  SEED,
} from "../../layout";

/** Index entry of the account with the address in the word at `address`, or the free one for it. */
function placeOf(address: usize): usize {
  const low = load<u64>(address), middle = load<u64>(address, 8), high = load<u32>(address, 16), seed = load<u64>(SEED);
  let h = (low ^ <u64>high) * seed;
  h = (h ^ (h >> 32) ^ middle) * seed;
  let i = <u32>(h >> 32) & (ACCOUNT_PLACES - 1), place: usize = ACCOUNT_INDEX + (i << 2);
  for (let account = <usize>load<u32>(place); account; account = <usize>load<u32>(place)) {
    if (load<u64>(account) == low && load<u64>(account, 8) == middle && load<u32>(account, 16) == high) break;
    i = (i + 1) & (ACCOUNT_PLACES - 1);
    place = ACCOUNT_INDEX + (i << 2);
  }
  return place;
}

/** The account with the address in the word at `address`, or 0. */
export function findAccount(address: usize): usize {
  return load<u32>(placeOf(address));
}

/** Adds an account. Returns it, or 0 if it is there already or the table is full. */
export function addAccount(address: usize, owner: u32, code: u32): usize {
  const count = load<u32>(ACCOUNT_COUNT), place = placeOf(address);
  if (count == MAX_ACCOUNTS || load<u32>(place)) return 0;
  const account = <usize>ACCOUNTS + <usize>count * ACCOUNT_SIZE;
  store<u64>(account, load<u64>(address));
  store<u64>(account, load<u64>(address, 8), 8);
  store<u32>(account, load<u32>(address, 16), 16);
  store<u32>(account, <u32>place, ACCOUNT_PLACE);
  store<u32>(account, owner, ACCOUNT_OWNER);
  store<u32>(account, code, ACCOUNT_CODE);
  store<u32>(place, <u32>account);
  store<u32>(ACCOUNT_COUNT, count + 1);
  return account;
}

/** Removes all accounts but the first `count`, last one first, so that no probe sequence of a remaining one is interrupted. */
export function keepAccounts(count: u32): void {
  for (let i = load<u32>(ACCOUNT_COUNT); i > count;) {
    i--;
    store<u32>(load<u32>(<usize>ACCOUNTS + <usize>i * ACCOUNT_SIZE, ACCOUNT_PLACE), 0);
  }
  store<u32>(ACCOUNT_COUNT, min(count, load<u32>(ACCOUNT_COUNT)));
}
