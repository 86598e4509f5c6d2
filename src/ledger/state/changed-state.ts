import { type Account, hasStorage } from "../../protocol/account/account.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { AccountChange, StateChanges, StateReader } from "./state.ts";

/** A changed account with its changed slots by their numbers. */
interface Changed extends AccountChange {
  readonly slots: ReadonlyMap<string, Uint8Array>;
}

/** Root of a first storage that is not hashed yet: it says that there is one, and matches none. */
const UNHASHED_ROOT: Hash = keccak256(new TextEncoder().encode("kairn: storage that is not hashed yet"));

/**
 * Returns what a state becomes by changes that are not part of it. Storage roots are those from before the changes, but for
 * an account that gets its first slots: readers look for slots only where a root says that there are some.
 */
export function changedState(base: StateReader, { accounts, codes }: StateChanges): StateReader {
  const changed = new Map(accounts.map((change) => [bytesToHex(change.address), withSlots(change)]));
  const codeOf = new Map(codes.map(({ hash, code }) => [bytesToHex(hash), code]));
  return {
    account(address) {
      const change = changed.get(bytesToHex(address));
      return change === undefined ? base.account(address) : change.account;
    },
    storage: (address, slot) => storageOf(base, changed.get(bytesToHex(address)), address, slot),
    code: (hash) => codeOf.get(bytesToHex(hash)) ?? base.code(hash),
  };
}

function withSlots(change: AccountChange): Changed {
  const slots = new Map(change.storage.map(({ slot, value }) => [bytesToHex(slot), value]));
  return { ...change, account: change.account && withStorage(change.account, change), slots };
}

function withStorage(account: Account, { storage }: AccountChange): Account {
  if (hasStorage(account) || storage.every(({ value }) => value.length === 0)) return account;
  return { ...account, storageRoot: UNHASHED_ROOT };
}

const NO_VALUE = new Uint8Array(0);

function storageOf(base: StateReader, change: Changed | undefined, address: Address, slot: Hash): Uint8Array {
  if (change === undefined) return base.storage(address, slot);
  const value = change.slots.get(bytesToHex(slot));
  if (value !== undefined) return value;
  return change.storageCleared || change.account === undefined ? NO_VALUE : base.storage(address, slot);
}
