import {
  type Account,
  EMPTY_CODE_HASH,
  hasCode,
  hasStorage,
  isEmptyAccount,
} from "../../../protocol/account/account.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import { type Address, EMPTY_BYTES, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../state.ts";
import { type AccountEntry, AccountTable } from "./journal-accounts.ts";
import { SlotTable } from "./journal-slots.ts";
import { bytesToLimbs, limbsToBytes } from "./limb-tables.ts";

/** Options of a journal. */
export interface JournalOptions {
  /** Touched empty accounts are not deleted, as before EIP-158. Never set on Kaia's chains. */
  readonly keepsEmptyAccounts?: boolean;
  /** Slots are read from the state below even if the storage root is empty: it may not have been hashed yet. */
  readonly readsAllStorage?: boolean;
}

/** Undo-log entry: an account's fields before a change. */
interface Undo extends Readonly<Omit<AccountEntry, "address" | "base" | "checkpoint" | "firstStorageId">> {
  readonly entry: AccountEntry;
}

/** Lengths of a journal's undo logs, its event logs and refund counter at a checkpoint. */
interface Mark {
  readonly accounts: number;
  readonly slots: number;
  readonly transient: number;
  readonly logs: number;
  readonly refund: number;
}

const RIPEMD160 = 3;

/** The contents of a journal and its undo log: accounts, slots, event logs and refund counter under nested checkpoints. */
export class JournalCore {
  readonly #reader: StateReader;
  readonly #keepsEmptyAccounts: boolean;
  readonly accounts: AccountTable;
  readonly slots: SlotTable;
  /** Address by storage owner, for owners that have slots in the state below. */
  readonly #stored: (Address | undefined)[] = [];
  #storageIds = 0;
  #undo: Undo[] = [];
  readonly #marks: Mark[] = [];
  #touched: AccountEntry[] = [];
  /** The RIPEMD-160 precompile's account once touched: this touch alone survives a revert. @see EIP-716 */
  #touchedRipemd160: AccountEntry | undefined;
  #transient: SlotTable | undefined;
  #logs: Log[] = [];
  /** Logs that have not been read yet. */
  #lazyLogs: (() => readonly Log[]) | undefined;
  /** Refund counter; below 2^53, as the transaction's gas bounds it. */
  refund = 0;
  /** Number of the running transaction: the value of the `…At` fields set in it. */
  transaction = 1;
  /** Number of the innermost checkpoint; entries saved under it need no second undo entry. */
  checkpointId = 1;

  constructor(reader: StateReader, options: JournalOptions = {}) {
    const { keepsEmptyAccounts = false, readsAllStorage = false } = options;
    this.#reader = reader;
    this.#keepsEmptyAccounts = keepsEmptyAccounts;
    this.accounts = new AccountTable(reader, (address, account) => {
      if (account && (readsAllStorage || hasStorage(account))) this.#stored[this.#storageIds] = address;
      return this.#storageIds++;
    });
    this.slots = new SlotTable((owner, keys, values, at) => this.#loadSlot(owner, keys, values, at));
  }

  /** Entry of a 20-byte address. */
  entry(address: Address): AccountEntry {
    return this.accounts.of(address);
  }

  /** Entry of the address in the low 160 bits of the little-endian word at index `at` of `words`. */
  entryAt(words: Uint32Array, at: number): AccountEntry {
    return this.accounts.ofLimbs(words, at);
  }

  isEmpty(entry: AccountEntry): boolean {
    return entry.account === undefined || isEmptyAccount(entry.account);
  }

  /** Code of an account, loaded on first use; empty without code. */
  code(entry: AccountEntry): Uint8Array {
    if (entry.code === undefined) {
      const hash = entry.account?.codeHash ?? EMPTY_CODE_HASH;
      entry.code = equalBytes(hash, EMPTY_CODE_HASH) ? EMPTY_BYTES : this.#reader.code(hash);
    }
    return entry.code;
  }

  /** Code by its hash from the state below, without the code this journal has added. */
  codeBelow(hash: Hash): Uint8Array {
    return this.#reader.code(hash);
  }

  /** Replaces an account, saves it for undo and marks it touched. */
  set(entry: AccountEntry, account: Account): void {
    this.#record(entry);
    this.#markTouched(entry);
    entry.account = account;
  }

  /** Replaces an account and its code; `account.codeHash` must be the hash of `code`. */
  setWithCode(entry: AccountEntry, account: Account, code: Uint8Array): void {
    this.set(entry, account);
    entry.code = code;
    entry.codeKey = undefined;
  }

  /** Replaces whatever was there by a new account without code or storage. */
  create(entry: AccountEntry, account: Account): void {
    const old = entry.account;
    this.setWithCode(entry, account, EMPTY_BYTES);
    entry.destroyedAt = 0;
    entry.createdAt = account.type === "sca" ? this.transaction : 0;
    // An account with nothing but a balance keeps its storage id, and with it the slots that an access list has warmed.
    if (old && (old.type === "sca" || hasCode(old) || hasStorage(old))) entry.storageId = this.#storageIds++;
  }

  /** Marks an account for deletion at the end of the transaction and zeroes its balance. */
  destroy(entry: AccountEntry): void {
    if (entry.account === undefined) return;
    this.set(entry, { ...entry.account, balance: 0n });
    entry.destroyedAt = this.transaction;
  }

  /** Marks an account as touched: deleted at the end of the transaction if it is empty by then. */
  touch(entry: AccountEntry): void {
    this.#markTouched(entry);
    if (entry.address[19] === RIPEMD160 && isRipemd160(entry.address)) this.#touchedRipemd160 = entry;
  }

  #markTouched(entry: AccountEntry): void {
    if (entry.touchedAt === this.transaction) return;
    this.#record(entry);
    entry.touchedAt = this.transaction;
    this.#touched.push(entry);
  }

  isWarm(entry: AccountEntry): boolean {
    return entry.warmAt >= this.transaction;
  }

  /** Whether an account is warm whatever is reverted, as one of `keepWarm`. */
  isAlwaysWarm(entry: AccountEntry): boolean {
    return entry.warmAt > this.transaction;
  }

  /** Adds an account to the accessed addresses. @returns whether it was cold */
  warm(entry: AccountEntry): boolean {
    if (this.isWarm(entry)) return false;
    this.#record(entry);
    entry.warmAt = this.transaction;
    return true;
  }

  /** Logs of the running transaction so far. */
  get logs(): Log[] {
    if (this.#lazyLogs !== undefined) {
      const read = this.#lazyLogs;
      this.#lazyLogs = undefined;
      for (const log of read()) this.#logs.push(log);
    }
    return this.#logs;
  }

  /** Adds logs that are built on first read; those of a call never are. */
  addLazyLogs(read: () => readonly Log[]): void {
    void this.logs;
    this.#lazyLogs = read;
  }

  /** Transient storage, keyed like `slots`. */
  get transient(): SlotTable {
    this.#transient ??= new SlotTable(() => {});
    return this.#transient;
  }

  checkpoint(): void {
    this.checkpointId++;
    this.#marks.push({
      accounts: this.#undo.length,
      slots: this.slots.position,
      transient: this.#transient?.position ?? 0,
      logs: this.logs.length,
      refund: this.refund,
    });
  }

  commit(): void {
    if (this.#marks.pop() === undefined) throw new RangeError("no open checkpoint");
  }

  revert(): void {
    const mark = this.#marks.pop();
    if (mark === undefined) throw new RangeError("no open checkpoint");
    this.checkpointId++;
    while (this.#undo.length > mark.accounts) restore(this.#undo.pop() as Undo);
    this.slots.revert(mark.slots);
    this.#transient?.revert(mark.transient);
    this.logs.length = mark.logs;
    this.refund = mark.refund;
  }

  endTransaction(): void {
    if (this.#marks.length > 0) throw new RangeError("a checkpoint is still open");
    for (const entry of this.#touched) {
      const isTouched = entry.touchedAt === this.transaction || entry === this.#touchedRipemd160;
      if (!isTouched || entry.account === undefined) continue;
      const isLeftOut = !this.#keepsEmptyAccounts && this.isEmpty(entry);
      if (isLeftOut || entry.destroyedAt === this.transaction) this.#delete(entry);
    }
    this.slots.endTransaction();
    this.#touched = [];
    this.#touchedRipemd160 = undefined;
    this.#undo = [];
    this.#logs = [];
    this.#lazyLogs = undefined;
    this.#transient = undefined;
    this.refund = 0;
    this.transaction++;
    this.checkpointId++;
  }

  /** Deletes an account with its storage; for changes that were executed elsewhere. */
  remove(entry: AccountEntry): void {
    this.#record(entry);
    this.#delete(entry);
  }

  /** Empties the storage of an account. */
  clearStorage(entry: AccountEntry): void {
    this.#record(entry);
    entry.storageId = this.#storageIds++;
  }

  #delete(entry: AccountEntry): void {
    entry.account = undefined;
    entry.code = EMPTY_BYTES;
    entry.codeKey = undefined;
    entry.storageId = this.#storageIds++;
  }

  #loadSlot(owner: number, keys: Uint32Array, values: Uint32Array, at: number): void {
    const address = this.#stored[owner];
    if (address) bytesToLimbs(this.#reader.storage(address, limbsToBytes(keys, at)), values, at);
  }

  /** Saves an entry in the undo log, once per checkpoint. */
  #record(entry: AccountEntry): void {
    if (entry.checkpoint === this.checkpointId) return;
    entry.checkpoint = this.checkpointId;
    this.#undo.push({
      entry,
      account: entry.account,
      code: entry.code,
      codeKey: entry.codeKey,
      storageId: entry.storageId,
      warmAt: entry.warmAt,
      touchedAt: entry.touchedAt,
      destroyedAt: entry.destroyedAt,
      createdAt: entry.createdAt,
    });
  }
}

function isRipemd160(address: Address): boolean {
  return address.every((byte, i) => byte === (i === 19 ? RIPEMD160 : 0));
}

function restore(undo: Undo): void {
  const entry = undo.entry;
  entry.account = undo.account;
  entry.code = undo.code;
  entry.codeKey = undo.codeKey;
  entry.storageId = undo.storageId;
  entry.warmAt = undo.warmAt;
  entry.touchedAt = undo.touchedAt;
  entry.destroyedAt = undo.destroyedAt;
  entry.createdAt = undo.createdAt;
}
