import { type Account, EMPTY_ROOT } from "../../../../protocol/account/account.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import {
  allocateBytes,
  allocatorOfMany,
  compareBytes,
  concat,
  equalBytes,
  type Hash,
} from "../../../../protocol/primitives/bytes.ts";
import type { Table } from "../../../database/table/table.ts";
import type { AccountChange } from "../../state.ts";
import { accountRow, slotRow, storageRootOf } from "./flat-rows.ts";

/** Bytes of an account's key in the flat table; slots have twice as many. */
export const ACCOUNT_KEY = 32;

/** One changed row of the flat table; undefined or null: no row. */
export interface FlatChange {
  readonly key: Uint8Array;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | null;
}

/** Hashes the storage of one account, perhaps in steps, and returns the new root. */
export type HashStorage = (
  accountHash: Hash,
  root: Hash,
  slots: readonly FlatChange[],
) => Generator<void, Hash>;

/** Slots that are looked at in one step. */
const SLOTS_A_STEP = 128;
/** Slots of one account whose rows are worth memory of their own. */
const MANY_SLOTS = 1024;

/**
 * Turns what a journal changed into changes of flat rows, leaving out what did not change. In steps.
 * @param flat - the table as it is before
 * @param hashStorage - called for each account with changed storage
 */
export function* resolveChanges(
  flat: Table,
  accounts: readonly AccountChange[],
  hashStorage: HashStorage,
): Generator<void, FlatChange[]> {
  const changes: FlatChange[] = [];
  for (const change of accounts) {
    const key = keccak256(change.address);
    const before = flat.get(key);
    const rootBefore = storageRootOf(before);
    const slots = yield* changedSlots(flat, { key, rootBefore, change });
    const root = slots.length === 0 ? rootBefore : yield* hashStorage(key, rootBefore, slots);
    const after = change.account ? accountRow(change.address, withRoot(change.account, root)) : null;
    for (const slot of slots) changes.push(slot);
    if (!equalRows(before, after)) changes.push({ key, before, after });
    yield;
  }
  return changes;
}

function withRoot(account: Account, storageRoot: Hash): Account {
  return account.storageRoot === storageRoot ? account : { ...account, storageRoot };
}

interface StorageChange {
  readonly key: Hash;
  readonly rootBefore: Hash;
  readonly change: AccountChange;
}

function* changedSlots(
  flat: Table,
  { key, rootBefore, change }: StorageChange,
): Generator<void, FlatChange[]> {
  const goes = change.storageCleared || !change.account;
  const cleared = goes && !equalBytes(rootBefore, EMPTY_ROOT) ? yield* allSlots(flat, key) : undefined;
  const slots: FlatChange[] = [];
  const allocate = change.storage.length > MANY_SLOTS ? allocatorOfMany() : allocateBytes;
  let looked = 0;
  for (const { slot, value } of change.account ? change.storage : []) {
    const slotKey = allocate(2 * ACCOUNT_KEY);
    slotKey.set(key);
    slotKey.set(keccak256(slot), ACCOUNT_KEY);
    const before = flat.get(slotKey);
    cleared?.delete(nameOf(slotKey));
    const after = value.length === 0 ? null : slotRow(slot, value, allocate);
    if (!equalRows(before, after)) slots.push({ key: slotKey, before, after });
    if (++looked % SLOTS_A_STEP === 0) yield;
  }
  for (const slot of cleared?.values() ?? []) slots.push(slot);
  return slots;
}

/** Deletions of all slots of an account, by key. */
function* allSlots(flat: Table, accountHash: Hash): Generator<void, Map<string, FlatChange>> {
  const slots = new Map<string, FlatChange>();
  for (const [key, row] of flat.range(...slotRange(accountHash))) {
    slots.set(nameOf(key), { key, before: row.slice(), after: null });
    if (slots.size % SLOTS_A_STEP === 0) yield;
  }
  return slots;
}

/** The order of changes by key. */
export function byKey(a: FlatChange, b: FlatChange): number {
  return compareBytes(a.key, b.key);
}

/** A key as a string for maps; of its first `length` bytes. */
export function nameOf(key: Uint8Array, length = key.length): string {
  return Buffer.from(key.buffer, key.byteOffset, length).toString("latin1");
}

/** Where the slots of an account begin and end in the flat table. */
export function slotRange(
  accountHash: Hash,
  fromSlotHash?: Hash,
): [from: Uint8Array, to: Uint8Array | undefined] {
  // A slot's key is longer than the account's own, so one more byte skips the account itself.
  return [concat(accountHash, fromSlotHash ?? Uint8Array.of(0)), keyAfter(accountHash)];
}

/** The key that follows all keys beginning with this one; undefined after the last. */
export function keyAfter(prefix: Uint8Array): Uint8Array | undefined {
  const next = prefix.slice();
  for (let i = next.length - 1; i >= 0; i--) {
    next[i] = ((next[i] as number) + 1) & 0xff;
    if (next[i] !== 0) return next;
  }
  return undefined;
}

function equalRows(a: Uint8Array | undefined, b: Uint8Array | null): boolean {
  return a && b ? compareBytes(a, b) === 0 : !a && !b;
}
