import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { EMPTY_BYTES, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { AccountChange, StateChanges } from "../state.ts";
import type { StateJournal } from "./journal-types.ts";

type Codes = ReadonlyMap<string, Uint8Array>;

/**
 * Applies the changes of a transaction that was executed in another journal over the same state, then ends the
 * transaction. This journal ends up as if it had executed the transaction itself.
 */
export function absorbChanges(state: StateJournal, { accounts, codes }: StateChanges): void {
  const codeOf = new Map(codes.map(({ hash, code }) => [bytesToHex(hash), code]));
  for (const change of accounts) absorb(state, change, codeOf);
  state.endTransaction();
}

function absorb(state: StateJournal, change: AccountChange, codes: Codes): void {
  const { core } = state;
  const entry = core.entry(change.address);
  if (change.account === undefined) {
    core.remove(entry);
    return;
  }
  const before = entry.account;
  if (change.storageCleared) core.clearStorage(entry);
  const isNew = before === undefined || change.storageCleared;
  const account = { ...change.account, storageRoot: isNew ? EMPTY_ROOT : before.storageRoot };
  if (before && equalBytes(before.codeHash, account.codeHash)) core.set(entry, account);
  else core.setWithCode(entry, account, codes.get(bytesToHex(account.codeHash)) ?? EMPTY_BYTES);
  for (const { slot, value } of change.storage) state.setStorage(change.address, slot, value);
}
