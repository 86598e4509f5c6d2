import type { AccountChange, StateChanges } from "../../../ledger/state/state.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** Merges two state changes. @param later - applied on top of the other */
export function mergeChanges(earlier: StateChanges, later: StateChanges): StateChanges {
  const accounts = new Map(earlier.accounts.map((change) => [bytesToHex(change.address), change]));
  for (const change of later.accounts) {
    const name = bytesToHex(change.address);
    accounts.set(name, mergeAccounts(accounts.get(name), change));
  }
  return { accounts: [...accounts.values()], codes: [...earlier.codes, ...later.codes] };
}

function mergeAccounts(earlier: AccountChange | undefined, later: AccountChange): AccountChange {
  if (earlier === undefined) return later;
  // An account deleted in between had no storage any more.
  const isCleared = later.storageCleared || earlier.account === undefined;
  const storage = new Map(
    [...(isCleared ? [] : earlier.storage), ...later.storage].map((change) => [
      bytesToHex(change.slot),
      change,
    ]),
  );
  return {
    ...later,
    storageCleared: isCleared || earlier.storageCleared,
    storage: [...storage.values()],
  };
}
