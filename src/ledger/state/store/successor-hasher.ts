import { type Account, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { concat, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { AccountChange, StateChanges } from "../state.ts";
import { type FlatChange, nameOf } from "./flat/flat-changes.ts";
import { accountRow, slotRow, storageRootOf } from "./flat/flat-rows.ts";
import type { PastTries } from "./history/past-state.ts";

/** Adds the storage trie of an account to the stage, unless it is there already. */
export type LoadStorage = (owner: Hash) => Generator<void, void>;

/** Changes processed per step. */
const CHANGES_PER_STEP = 64;

/** Hashes a sequence of states without storing them, each from its changes to the previous one. */
export class SuccessorHasher {
  readonly #stage: PastTries["stage"];
  readonly #loadStorage: LoadStorage;
  #root: Hash;
  /** Slots of accounts whose storage was cleared, by hashed address: their rows in the stage no longer count. */
  readonly #recreated = new Map<string, Set<string>>();

  /** @param tries - of the state before the first; their stage keeps rows, and belongs to the hasher from now on */
  constructor({ root, stage }: PastTries, loadStorage: LoadStorage) {
    this.#root = root;
    this.#stage = stage;
    this.#loadStorage = loadStorage;
  }

  /** The root after changes to the previous state. In steps; the next call must wait until they have ended. */
  *next({ accounts }: StateChanges): Generator<void, Hash> {
    const rows: FlatChange[] = [];
    for (const [i, change] of accounts.entries()) {
      const row = yield* this.#accountRow(change);
      if (row) rows.push(row);
      if (i % CHANGES_PER_STEP === CHANGES_PER_STEP - 1) yield;
    }
    this.#root = yield* this.#stage.hashAccountsInSteps(this.#root, rows);
    return this.#root;
  }

  /** The changed row of an account, with its storage hashed; undefined if it exists neither before nor after. */
  *#accountRow(change: AccountChange): Generator<void, FlatChange | undefined> {
    const { address, account, storageCleared } = change;
    const key = keccak256(address);
    const before = this.#stage.row(key)?.slice();
    if (account === undefined || storageCleared) this.#recreated.set(nameOf(key), new Set());
    if (account === undefined) return before && { key, before, after: null };
    const rootBefore = storageCleared ? EMPTY_ROOT : storageRootOf(before);
    const storageRoot = yield* this.#storageRoot(key, rootBefore, change.storage);
    return { key, before, after: accountRow(address, { ...account, storageRoot } as Account) };
  }

  *#storageRoot(owner: Hash, rootBefore: Hash, storage: AccountChange["storage"]): Generator<void, Hash> {
    if (storage.length === 0) return rootBefore;
    const recreated = this.#recreated.get(nameOf(owner));
    if (recreated === undefined) yield* this.#loadStorage(owner);
    const slots: FlatChange[] = [];
    let looked = 0;
    for (const { slot, value } of storage) {
      const key = concat(owner, keccak256(slot));
      const isThere =
        recreated === undefined ? this.#stage.row(key) !== undefined : recreated.has(nameOf(key));
      if (value.length > 0) slots.push({ key, before: undefined, after: slotRow(slot, value) });
      else if (isThere) slots.push({ key, before: undefined, after: null });
      if (value.length > 0) recreated?.add(nameOf(key));
      else recreated?.delete(nameOf(key));
      if (++looked % CHANGES_PER_STEP === 0) yield;
    }
    return slots.length === 0 ? rootBefore : yield* this.#stage.hashSlots(owner, rootBefore, slots);
  }
}
