import { EMPTY_CODE_HASH } from "../../../../protocol/account/account.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import type { AccountChange, StateChanges } from "../../state.ts";
import { ACCOUNT_KEY, nameOf } from "../flat/flat-changes.ts";
import { accountOfRow, addressOfRow, slotOfRow, slotValue } from "../flat/flat-rows.ts";

type Slots = { readonly slot: Hash; readonly value: Uint8Array }[];

/**
 * The changes of a block, derived from the rows before and after it.
 * @param changed - key and row before, in key order, so that an account precedes its slots
 * @param after - row after the block
 * @param code - code by its hash
 */
export function changesOfRows(
  changed: Iterable<readonly [key: Uint8Array, before: Uint8Array | null]>,
  after: (key: Uint8Array) => Uint8Array | undefined,
  code: (hash: Hash) => Uint8Array | undefined,
): StateChanges {
  const accounts: AccountChange[] = [];
  const codes = new Map<string, { readonly hash: Hash; readonly code: Uint8Array }>();
  const slotsOf = new Map<string, Slots>();
  for (const [key, before] of changed) {
    const row = after(key)?.slice();
    if (key.length > ACCOUNT_KEY) {
      const slot = slotOfRow((row ?? before) as Uint8Array);
      slotsOf.get(nameOf(key, ACCOUNT_KEY))?.push({ slot, value: slotValue(row) });
      continue;
    }
    const storage: Slots = [];
    slotsOf.set(nameOf(key), storage);
    const account = row && accountOfRow(row);
    const address = addressOfRow((row ?? before) as Uint8Array);
    accounts.push({ address, account, storageCleared: false, storage });
    const hash = account?.codeHash;
    if (hash === undefined || equalBytes(hash, EMPTY_CODE_HASH)) continue;
    if (before && equalBytes(accountOfRow(before).codeHash, hash)) continue;
    const found = code(hash);
    if (found !== undefined) codes.set(nameOf(hash), { hash, code: found });
  }
  return { accounts, codes: [...codes.values()] };
}
