import { type Account, copyOf, EMPTY_ROOT } from "../../../../protocol/account/account.ts";
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

/** Bytes of an account's key in the flat table; a slot's key has twice as many. */
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

const NO_CHANGES: readonly FlatChange[] = [];
/** Slots processed per step. */
const SLOTS_PER_STEP = 128;
/** From this many slots of one account on, their rows are allocated in bulk. */
const MANY_SLOTS = 1024;

/**
 * Turns the changes of a journal into changes of flat rows, in steps, dropping those without effect.
 * @param flat - the table before the changes
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
    const slots = changesStorage(change)
      ? yield* changedSlots(flat, { key, rootBefore, change })
      : NO_CHANGES;
    const root = slots.length === 0 ? rootBefore : yield* hashStorage(key, rootBefore, slots);
    const after = change.account ? accountRow(change.address, withRoot(change.account, root)) : null;
    for (const slot of slots) changes.push(slot);
    if (!equalRows(before, after)) changes.push({ key, before, after });
    yield;
  }
  return changes;
}

function withRoot(account: Account, storageRoot: Hash): Account {
  if (account.storageRoot === storageRoot) return account;
  const changed = copyOf(account);
  changed.storageRoot = storageRoot;
  return changed;
}

function changesStorage({ account, storageCleared, storage }: AccountChange): boolean {
  return !account || storageCleared || storage.length > 0;
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
    if (++looked % SLOTS_PER_STEP === 0) yield;
  }
  for (const slot of cleared?.values() ?? []) slots.push(slot);
  return slots;
}

/** Deletions of all slots of an account, by key. */
function* allSlots(flat: Table, accountHash: Hash): Generator<void, Map<string, FlatChange>> {
  const slots = new Map<string, FlatChange>();
  for (const [key, row] of flat.range(...slotRange(accountHash))) {
    slots.set(nameOf(key), { key, before: row.slice(), after: null });
    if (slots.size % SLOTS_PER_STEP === 0) yield;
  }
  return slots;
}

/** Compares changes by key. */
export function byKey(a: FlatChange, b: FlatChange): number {
  return compareBytes(a.key, b.key);
}

/** The first `length` bytes of a key as a string, for use as a map key. */
export function nameOf(key: Uint8Array, length = key.length): string {
  return Buffer.from(key.buffer, key.byteOffset, length).toString("latin1");
}

/** The key range of an account's slots in the flat table. */
export function slotRange(
  accountHash: Hash,
  fromSlotHash?: Hash,
): [from: Uint8Array, to: Uint8Array | undefined] {
  // A slot's key is longer than the account's own, so one more byte skips the account itself.
  return [concat(accountHash, fromSlotHash ?? Uint8Array.of(0)), keyAfter(accountHash)];
}

/** The smallest key above all keys with this prefix; undefined if there is none. */
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
