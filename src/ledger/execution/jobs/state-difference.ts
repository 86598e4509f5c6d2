import type { Account } from "../../../protocol/account/account.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { EMPTY_BYTES, equalBytes, leftPad } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { AccountChange, StateChanges } from "../../state/state.ts";

/** A value unchanged, added, removed or replaced. */
type Difference = "=" | { "+": string } | { "-": string } | { "*": { from: string; to: string } };

const WORD = 32;

/**
 * State changes in the format of OpenEthereum's `stateDiff`: balance, nonce, code and changed slots, ordered by address.
 * Slots of deleted accounts are not listed, nor are Kaia's additional account fields, such as keys.
 * @param before - the state between two transactions, without the changes
 */
export function stateDifference({ accounts, codes }: StateChanges, before: StateJournal): Json {
  const newCodes = new Map(codes.map(({ hash, code }) => [bytesToHex(hash), code]));
  const rows: [address: string, difference: Json][] = [];
  for (const change of accounts) {
    const was = before.account(change.address);
    const now = change.account;
    if (was === undefined && now === undefined) continue;
    const members = {
      balance: difference(was, now, ({ balance }) => quantity(balance)),
      code: codeDifference(change, before, newCodes),
      nonce: difference(was, now, ({ nonce }) => quantity(nonce)),
      storage: storageDifference(change, before),
    };
    if (!isSame(members)) rows.push([bytesToHex(change.address), members]);
  }
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function difference(
  was: Account | undefined,
  now: Account | undefined,
  show: (account: Account) => string,
): Difference {
  if (was === undefined) return { "+": show(now as Account) };
  if (now === undefined) return { "-": show(was) };
  const [from, to] = [show(was), show(now)];
  return from === to ? "=" : { "*": { from, to } };
}

function codeDifference(
  { address, account: now }: AccountChange,
  before: StateJournal,
  newCodes: ReadonlyMap<string, Uint8Array>,
): Difference {
  const was = before.account(address);
  if (was !== undefined && now !== undefined && equalBytes(was.codeHash, now.codeHash)) return "=";
  const codeNow = newCodes.get(bytesToHex(now?.codeHash ?? EMPTY_BYTES)) ?? EMPTY_BYTES;
  const codeOf = (account: Account) => bytesToHex(account === was ? before.code(address) : codeNow);
  return difference(was, now, codeOf);
}

function storageDifference(
  { address, account, storage }: AccountChange,
  before: StateJournal,
): { [slot: string]: Json } {
  if (account === undefined) return {};
  const isNew = before.account(address) === undefined;
  const rows: [slot: string, difference: Json][] = [];
  for (const { slot, value } of storage) {
    const now = leftPad(value, WORD);
    const was = isNew ? new Uint8Array(WORD) : before.storage(address, slot);
    if (equalBytes(was, now)) continue;
    const to = bytesToHex(now);
    const row = isNew ? { "+": to } : { "*": { from: bytesToHex(was), to } };
    rows.push([bytesToHex(slot), row]);
  }
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isSame({ storage, ...members }: { [member: string]: Json }): boolean {
  const isEqual = Object.values(members).every((member) => member === "=");
  return isEqual && Object.keys(storage as object).length === 0;
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}
