import { type Account, hasStorage } from "../../protocol/account/account.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { AccountChange, StateChanges, StateReader } from "./state.ts";

/** A changed account with its changed slots by key. */
interface Changed {
  account: Account | undefined;
  /** Whether the storage of the state below is gone: its slots must not be read. */
  isCleared: boolean;
  readonly slots: Map<string, Uint8Array>;
}

/** Placeholder root of storage that has not been hashed yet: says that there are slots, and equals no real root. */
const UNHASHED_ROOT: Hash = keccak256(new TextEncoder().encode("kairn: storage that is not hashed yet"));
const NO_VALUE = new Uint8Array(0);

/**
 * A state with changes laid over it. Storage roots are those in the changes (unless hashed, from before them), except for an
 * account that gets its first slots: readers look for slots only where the root says that there are some.
 */
export class StateOverlay implements StateReader {
  readonly #base: StateReader;
  readonly #changed = new Map<string, Changed>();
  readonly #codes = new Map<string, Uint8Array>();

  constructor(base: StateReader, ...changes: readonly StateChanges[]) {
    this.#base = base;
    for (const some of changes) this.add(some);
  }

  /** Adds further changes on top of those so far. */
  add({ accounts, codes }: StateChanges): void {
    for (const change of accounts) this.#addAccount(change);
    for (const { hash, code } of codes) this.#codes.set(bytesToHex(hash), code);
  }

  account(address: Address): Account | undefined {
    const change = this.#changed.get(bytesToHex(address));
    return change === undefined ? this.#base.account(address) : change.account;
  }

  storage(address: Address, slot: Hash): Uint8Array {
    const change = this.#changed.get(bytesToHex(address));
    const value = change?.slots.get(bytesToHex(slot));
    if (value !== undefined) return value;
    return change?.isCleared ? NO_VALUE : this.#base.storage(address, slot);
  }

  code(hash: Hash): Uint8Array {
    return this.#codes.get(bytesToHex(hash)) ?? this.#base.code(hash);
  }

  #addAccount({ address, account, storageCleared, storage }: AccountChange): void {
    const key = bytesToHex(address);
    const isCleared = storageCleared || account === undefined;
    const before = isCleared ? undefined : this.#changed.get(key);
    const slots = before?.slots ?? new Map<string, Uint8Array>();
    for (const { slot, value } of account === undefined ? [] : storage) slots.set(bytesToHex(slot), value);
    this.#changed.set(key, {
      account: account && withStorage(account, slots),
      isCleared: isCleared || before?.isCleared === true,
      slots,
    });
  }
}

function withStorage(account: Account, slots: ReadonlyMap<string, Uint8Array>): Account {
  if (hasStorage(account) || [...slots.values()].every((value) => value.length === 0)) return account;
  return { ...account, storageRoot: UNHASHED_ROOT };
}
