import { type Account, EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { concat, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { AccountChange, HashedState, StateChanges } from "../state.ts";
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

  /** The state after changes to the previous one. In steps; the next call must wait until they have ended. */
  *next({ accounts, codes }: StateChanges): Generator<void, HashedState> {
    const rows: FlatChange[] = [];
    const hashed: AccountChange[] = [];
    for (const [i, change] of accounts.entries()) {
      const key = keccak256(change.address);
      const before = this.#stage.row(key)?.slice();
      const account = yield* this.#hashed(key, before, change);
      hashed.push({ ...change, account });
      if (account) rows.push({ key, before, after: accountRow(change.address, account) });
      else if (before) rows.push({ key, before, after: null });
      if (i % CHANGES_PER_STEP === CHANGES_PER_STEP - 1) yield;
    }
    this.#root = yield* this.#stage.hashAccountsInSteps(this.#root, rows);
    return { root: this.#root, changes: { accounts: hashed, codes } };
  }

  /** A changed account with the root of its new storage; undefined if it is deleted. */
  *#hashed(
    key: Hash,
    before: Uint8Array | undefined,
    { account, storageCleared, storage }: AccountChange,
  ): Generator<void, Account | undefined> {
    if (account === undefined || storageCleared) this.#recreated.set(nameOf(key), new Set());
    if (account === undefined) return undefined;
    const rootBefore = storageCleared ? EMPTY_ROOT : storageRootOf(before);
    return { ...account, storageRoot: yield* this.#storageRoot(key, rootBefore, storage) };
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
