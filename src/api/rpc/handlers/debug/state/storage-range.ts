import type { StateJournal } from "../../../../../ledger/state/journal/journal-types.ts";
import type { PinnedState } from "../../../../../ledger/state/pinned-state.ts";
import type { SlotRecord } from "../../../../../ledger/state/state.ts";
import { keccak256 } from "../../../../../protocol/crypto/keccak.ts";
import {
  type Address,
  compareBytes,
  equalBytes,
  type Hash,
  leftPad,
} from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { refused } from "../../../engine/errors.ts";
import type { WireObject } from "../../../spec/values/wire-types.ts";

/** Maximum slots of one response; `nextKey` says where to continue. */
const MAX_SLOTS = 10_000;
const HASH_LENGTH = 32;

/** Which slots are read. */
export interface StorageRangeQuery {
  /** State changed by transactions of the block. */
  readonly state: StateJournal;
  /** The underlying state after the parent. */
  readonly parent: PinnedState;
  readonly contract: Address;
  /** Hash of a slot or its first bytes. */
  readonly start: Uint8Array;
  readonly limit: number;
}

/** Slots in the order of their hashes, and the hash of the one after them. */
export async function storageRange(query: StorageRangeQuery): Promise<WireObject> {
  const { state, contract } = query;
  if (!state.exists(contract)) throw refused(`account ${bytesToHex(contract).slice(2)} doesn't exist`);
  const limit = Math.min(MAX_SLOTS, Math.max(0, query.limit));
  const slots = await currentSlots(query, limit + 1);
  const shown = slots.slice(0, limit);
  const next = slots[shown.length];
  const storage = shown.map(({ hash, slot, value }) => [
    bytesToHex(hash),
    { key: bytesToHex(slot), value: bytesToHex(leftPad(value, 32)) },
  ]);
  return { storage: Object.fromEntries(storage), nextKey: next === undefined ? null : bytesToHex(next.hash) };
}

/** The first slots of the parent's state, with the changes of the block so far. */
async function currentSlots(
  { state, parent, contract, start }: StorageRangeQuery,
  count: number,
): Promise<SlotRecord[]> {
  const change = state.changes().accounts.find(({ address }) => equalBytes(address, contract));
  const changed = change?.storage ?? [];
  const slots = new Map<string, SlotRecord>();
  // Enough of the parent's slots, whatever the block deleted.
  const wanted = change?.storageCleared === true ? 0 : count + changed.length;
  if (wanted > 0)
    for (const record of await firstSlots(parent, contract, start, wanted))
      slots.set(bytesToHex(record.hash), record);
  for (const { slot, value } of changed) {
    const hash: Hash = keccak256(slot);
    if (value.length === 0 || compareBytes(hash, start) < 0) slots.delete(bytesToHex(hash));
    else slots.set(bytesToHex(hash), { hash, slot, value });
  }
  return [...slots.values()].sort((a, b) => compareBytes(a.hash, b.hash)).slice(0, count);
}

async function firstSlots(
  parent: PinnedState,
  contract: Address,
  start: Uint8Array,
  count: number,
): Promise<SlotRecord[]> {
  const from = new Uint8Array(HASH_LENGTH);
  from.set(start.subarray(0, HASH_LENGTH));
  const found: SlotRecord[] = [];
  for await (const part of parent.slots(contract, from)) {
    for (const record of part) if (compareBytes(record.hash, start) >= 0) found.push(record);
    if (found.length >= count) break;
  }
  return found.slice(0, count);
}
