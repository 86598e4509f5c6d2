import { type Account, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { concat, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { AccountChange, StateChanges } from "../state.ts";
import { type FlatChange, nameOf } from "./flat/flat-changes.ts";
import { accountRow, slotRow, storageRootOf } from "./flat/flat-rows.ts";
import type { PastTries } from "./history/past-state.ts";

/** Makes the storage trie of an account stand in the stage as its row says, where it does not yet. */
export type BringStorage = (owner: Hash) => Generator<void, void>;

/** Changes that are looked at in one step. */
const CHANGES_A_STEP = 64;

/** Hashes states that follow one another and are kept nowhere, each by what changed since the one before. */
export class Succession {
  readonly #stage: PastTries["stage"];
  readonly #bringStorage: BringStorage;
  #root: Hash;
  /** Slots of accounts whose storage was cleared, by the hash of the address: the rows below do not count for those. */
  readonly #anew = new Map<string, Set<string>>();

  /** @param tries - of the state before the first; their stage keeps rows, and is the succession's from now on */
  constructor({ root, stage }: PastTries, bringStorage: BringStorage) {
    this.#root = root;
    this.#stage = stage;
    this.#bringStorage = bringStorage;
  }

  /** The root after changes of the state before. In steps, between which nobody else may go on with it. */
  *next({ accounts }: StateChanges): Generator<void, Hash> {
    const rows: FlatChange[] = [];
    for (const [i, change] of accounts.entries()) {
      const row = yield* this.#accountRow(change);
      if (row) rows.push(row);
      if (i % CHANGES_A_STEP === CHANGES_A_STEP - 1) yield;
    }
    this.#root = yield* this.#stage.hashAccountsInSteps(this.#root, rows);
    return this.#root;
  }

  /** The changed row of an account, whose storage is hashed; undefined where none was there and none is. */
  *#accountRow(change: AccountChange): Generator<void, FlatChange | undefined> {
    const { address, account, storageCleared } = change;
    const key = keccak256(address);
    const before = this.#stage.row(key)?.slice();
    if (account === undefined || storageCleared) this.#anew.set(nameOf(key), new Set());
    if (account === undefined) return before && { key, before, after: null };
    const rootBefore = storageCleared ? EMPTY_ROOT : storageRootOf(before);
    const storageRoot = yield* this.#storageRoot(key, rootBefore, change.storage);
    return { key, before, after: accountRow(address, { ...account, storageRoot } as Account) };
  }

  *#storageRoot(owner: Hash, rootBefore: Hash, storage: AccountChange["storage"]): Generator<void, Hash> {
    if (storage.length === 0) return rootBefore;
    const anew = this.#anew.get(nameOf(owner));
    if (anew === undefined) yield* this.#bringStorage(owner);
    const slots: FlatChange[] = [];
    let looked = 0;
    for (const { slot, value } of storage) {
      const key = concat(owner, keccak256(slot));
      const isThere = anew === undefined ? this.#stage.row(key) !== undefined : anew.has(nameOf(key));
      if (value.length > 0) slots.push({ key, before: undefined, after: slotRow(slot, value) });
      else if (isThere) slots.push({ key, before: undefined, after: null });
      if (value.length > 0) anew?.add(nameOf(key));
      else anew?.delete(nameOf(key));
      if (++looked % CHANGES_A_STEP === 0) yield;
    }
    return slots.length === 0 ? rootBefore : yield* this.#stage.hashSlots(owner, rootBefore, slots);
  }
}
