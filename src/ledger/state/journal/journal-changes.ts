import { equalBytes, type Hash, trimLeadingZeros } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { PackedSlots } from "../packed-slots.ts";
import type { AccountChange, SlotChange, SlotChanges, StateChanges } from "../state.ts";
import type { AccountEntry } from "./journal-accounts.ts";
import type { JournalCore } from "./journal-core.ts";
import { limbsToBytes } from "./limb-tables.ts";

/** Up to this many slots of an account are kept as objects, which is faster for few. */
const FEW_SLOTS = 1024;
/** Accounts or slots between two steps, about a millisecond. */
const PER_STEP = 128;

/**
 * Collects the differences between a journal and the state below it, which must not change meanwhile, in steps; accounts in the order of
 * first access.
 */
export function* collectChanges(core: JournalCore): Generator<void, StateChanges> {
  const storage = yield* changedSlots(core);
  const accounts: AccountChange[] = [];
  const codes: Map<string, { hash: Hash; code: Uint8Array }> = new Map();
  let visited = 0;
  for (const entry of core.accounts.entries) {
    if (++visited % PER_STEP === 0) yield;
    const change = accountChange(entry, storage.get(entry.storageId) ?? []);
    if (change === undefined) continue;
    accounts.push(change);
    const hash = change.account?.codeHash;
    if (hash && entry.code?.length && !(entry.base && equalBytes(hash, entry.base.codeHash))) {
      codes.set(bytesToHex(hash), { hash, code: entry.code });
    }
  }
  return { accounts, codes: [...codes.values()] };
}

/** Changed slots by storage owner. */
function* changedSlots(core: JournalCore): Generator<void, Map<number, SlotChanges>> {
  const byOwner: Map<number, SlotChange[] | PackedSlots> = new Map();
  const add = (owner: number, keys: Uint32Array, values: Uint32Array, at: number): void => {
    const [slot, value] = [limbsToBytes(keys, at), limbsToBytes(values, at)];
    const list = byOwner.get(owner);
    if (list instanceof PackedSlots) list.add(slot, value);
    else if (list === undefined) byOwner.set(owner, [{ slot, value: trimLeadingZeros(value) }]);
    else if (list.push({ slot, value: trimLeadingZeros(value) }) > FEW_SLOTS)
      byOwner.set(owner, PackedSlots.from(list));
  };
  for (let from = 0; from < core.slots.size; from += PER_STEP) {
    if (from > 0) yield;
    core.slots.forEachChanged({ from, to: from + PER_STEP }, add);
  }
  return byOwner;
}

function accountChange(entry: AccountEntry, storage: SlotChanges): AccountChange | undefined {
  const { address, base, account } = entry;
  if (account === undefined) {
    return base && { address, account, storageCleared: true, storage: [] };
  }
  const storageCleared = base !== undefined && entry.storageId !== entry.firstStorageId;
  if (account === base && storage.length === 0) return undefined;
  return { address, account, storageCleared, storage };
}
