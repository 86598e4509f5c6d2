import type { StateJournal } from "../../../../ledger/state/journal-types.ts";
import type { SlotRecord, StateView } from "../../../../ledger/state/state.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import {
  type Address,
  compareBytes,
  equalBytes,
  type Hash,
  leftPad,
} from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../errors.ts";
import type { WireObject } from "../../spec/wire-types.ts";

/** Where slots are read. */
export interface StorageRangeQuery {
  /** State that transactions of the block have changed. */
  readonly state: StateJournal;
  /** State after the parent, under it. */
  readonly view: StateView;
  readonly contract: Address;
  /** Hash of a slot or its first bytes. */
  readonly start: Uint8Array;
  readonly limit: number;
}

/** Slots in the order of their hashes, and the hash of the one after them. */
export function storageRange({ state, view, contract, start, limit }: StorageRangeQuery): WireObject {
  if (!state.exists(contract)) throw refused(`account ${bytesToHex(contract).slice(2)} doesn't exist`);
  const slots = currentSlots(state, view, contract).filter(({ hash }) => compareBytes(hash, start) >= 0);
  const shown = slots.slice(0, Math.max(0, limit));
  const next = slots[shown.length];
  const storage = shown.map(({ hash, slot, value }) => [
    bytesToHex(hash),
    { key: bytesToHex(slot), value: bytesToHex(leftPad(value, 32)) },
  ]);
  return { storage: Object.fromEntries(storage), nextKey: next === undefined ? null : bytesToHex(next.hash) };
}

/** The slots of the parent's state with what the block has changed so far. */
function currentSlots(state: StateJournal, view: StateView, contract: Address): SlotRecord[] {
  const change = state.changes().accounts.find(({ address }) => equalBytes(address, contract));
  const slots = new Map<string, SlotRecord>();
  if (change?.storageCleared !== true)
    for (const record of view.slots(contract)) slots.set(bytesToHex(record.hash), record);
  for (const { slot, value } of change?.storage ?? []) {
    const hash: Hash = keccak256(slot);
    if (value.length === 0) slots.delete(bytesToHex(hash));
    else slots.set(bytesToHex(hash), { hash, slot, value });
  }
  return [...slots.values()].sort((a, b) => compareBytes(a.hash, b.hash));
}
