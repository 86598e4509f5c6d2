import type { PinnedState } from "../../../../../ledger/state/pinned-state.ts";
import type { AccountRecord } from "../../../../../ledger/state/state.ts";
import { encodeAccount } from "../../../../../protocol/account/account-codec.ts";
import {
  type Address,
  compareBytes,
  equalBytes,
  type Hash,
} from "../../../../../protocol/primitives/bytes.ts";

/** Accounts of the newer state that are missing or different in the older one, ordered by hash. */
export async function modifiedAccounts(older: PinnedState, newer: PinnedState): Promise<Address[]> {
  const sameAccount = (a: AccountRecord, b: AccountRecord) =>
    equalBytes(encodeAccount(a.account), encodeAccount(b.account));
  return (await differing(older.accounts(), newer.accounts(), sameAccount)).map(({ address }) => address);
}

/** Number of slots of the newer state that are missing or different in the older one. */
export async function modifiedSlots(
  older: PinnedState,
  newer: PinnedState,
  contract: Address,
): Promise<number> {
  const found = await differing(older.slots(contract), newer.slots(contract), (a, b) =>
    equalBytes(a.value, b.value),
  );
  return found.length;
}

type Parts<T> = AsyncGenerator<readonly T[]>;

/** Elements of the newer list that are missing or different in the older one; both are ordered by hash. */
async function differing<T extends { readonly hash: Hash }>(
  older: Parts<T>,
  newer: Parts<T>,
  isSame: (a: T, b: T) => boolean,
): Promise<T[]> {
  const found: T[] = [];
  let known: readonly T[] = [];
  let at = 0;
  try {
    for await (const part of newer) {
      for (const element of part) {
        for (;;) {
          while (at < known.length && compareBytes((known[at] as T).hash, element.hash) < 0) at++;
          if (at < known.length) break;
          const next = await older.next();
          if (next.done) break;
          [known, at] = [next.value, 0];
        }
        const match = known[at];
        if (match === undefined || !equalBytes(match.hash, element.hash) || !isSame(match, element))
          found.push(element);
      }
    }
  } finally {
    await older.return(undefined);
  }
  return found;
}
