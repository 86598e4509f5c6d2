import type { AccountChange, StateChanges, StateReader } from "../state/state.ts";
import { isDetached, SHADOW, shadowOf, ZEROED } from "./forked-view.ts";
import type { RemoteState } from "./remote-state.ts";

/**
 * Turns changes of a forked state into changes of its local part: deletions and zeroed slots become tombstones, which hide
 * the remote values, and the remote code of accounts changed for the first time is added.
 * @param own - the local part before the changes
 */
export function overlayChanges(changes: StateChanges, own: StateReader, remote: RemoteState): StateChanges {
  const accounts = changes.accounts.flatMap((change) => {
    const isOwn = remote.isAbsent(change.address) || isDetached(own, change.address);
    return isOwn ? [change] : marked(change);
  });
  const codes = changes.accounts.flatMap(({ address, account }) => {
    const code = account && own.account(address) === undefined && remote.knownCode(account.codeHash);
    return code && account ? [{ hash: account.codeHash, code }] : [];
  });
  return { accounts, codes: [...changes.codes, ...codes] };
}

function marked(change: AccountChange): AccountChange[] {
  if (change.account === undefined || change.storageCleared) return [change, shadow(change)];
  const storage = Array.from(change.storage, ({ slot, value }) => ({
    slot,
    value: value.length === 0 ? ZEROED : value,
  }));
  return [{ ...change, storage }];
}

function shadow({ address }: AccountChange): AccountChange {
  return { address: shadowOf(address), account: SHADOW, storageCleared: false, storage: [] };
}
