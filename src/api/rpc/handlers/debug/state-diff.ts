import type { StateView } from "../../../../ledger/state/state.ts";
import { encodeAccount } from "../../../../protocol/account/account-codec.ts";
import { type Address, compareBytes, equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";

/** Accounts of the newer state that are not the same in the older one, in the order of their hashes. */
export function modifiedAccounts(older: StateView, newer: StateView): Address[] {
  const sameAccount = (a: AccountAt, b: AccountAt) =>
    equalBytes(encodeAccount(a.account), encodeAccount(b.account));
  return differing(older.accounts(), newer.accounts(), sameAccount).map(({ address }) => address);
}

type AccountAt = ReturnType<StateView["accounts"]> extends Iterable<infer T> ? T : never;

/** Number of slots of the newer state that are not the same in the older one. */
export function modifiedSlots(older: StateView, newer: StateView, contract: Address): number {
  return differing(older.slots(contract), newer.slots(contract), (a, b) => equalBytes(a.value, b.value))
    .length;
}

/** Elements of the newer list that the older one does not have like that; both are in the order of their hashes. */
function differing<T extends { readonly hash: Hash }>(
  older: Iterable<T>,
  newer: Iterable<T>,
  isSame: (a: T, b: T) => boolean,
): T[] {
  const found: T[] = [];
  const old = older[Symbol.iterator]();
  let before = old.next();
  for (const element of newer) {
    while (!before.done && compareBytes(before.value.hash, element.hash) < 0) before = old.next();
    const match = before.done ? undefined : before.value;
    const isKnown = match !== undefined && equalBytes(match.hash, element.hash) && isSame(match, element);
    if (!isKnown) found.push(element);
  }
  return found;
}
