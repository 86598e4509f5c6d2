import { runSync } from "../../../platform/runtime/turns/pace.ts";
import {
  type Account,
  type AccountDraft,
  copyOf,
  EMPTY_CODE_HASH,
  newContract,
  newEoa,
} from "../../../protocol/account/account.ts";
import type { AccountKey } from "../../../protocol/account/key.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { type Address, EMPTY_BYTES, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateChanges, StateReader } from "../state.ts";
import type { AccountEntry } from "./journal-accounts.ts";
import { collectChanges } from "./journal-changes.ts";
import { JournalCore, type JournalOptions } from "./journal-core.ts";
import type { SlotTable } from "./journal-slots.ts";
import type { StateJournal } from "./journal-types.ts";
import { bytesToLimbs, limbsToBytes } from "./limb-tables.ts";

/** Creates a journal over a state. */
export function createJournal(reader: StateReader, options: JournalOptions = {}): StateJournal {
  return new Journal(new JournalCore(reader, options));
}

/** A `JournalCore` behind addresses and byte strings. */
class Journal implements StateJournal {
  readonly core: JournalCore;
  /** Scratch for the key and the value of a slot. */
  readonly #words = new Uint32Array(16);

  constructor(core: JournalCore) {
    this.core = core;
  }

  account(address: Address): Account | undefined {
    return this.core.entry(address).account;
  }

  exists(address: Address): boolean {
    return this.account(address) !== undefined;
  }

  isEmpty(address: Address): boolean {
    return this.core.isEmpty(this.core.entry(address));
  }

  balance(address: Address): bigint {
    return this.account(address)?.balance ?? 0n;
  }

  nonce(address: Address): bigint {
    return this.account(address)?.nonce ?? 0n;
  }

  code(address: Address): Uint8Array {
    return this.core.code(this.core.entry(address));
  }

  codeHash(address: Address): Hash | undefined {
    return this.account(address)?.codeHash;
  }

  setBalance(address: Address, balance: bigint): void {
    const entry = this.core.entry(address);
    const account = draftOf(entry);
    account.balance = balance;
    this.core.set(entry, account);
  }

  addBalance(address: Address, value: bigint): void {
    const entry = this.core.entry(address);
    if (value !== 0n || entry.account === undefined) {
      const account = draftOf(entry);
      account.balance += value;
      this.core.set(entry, account);
    } else if (this.core.isEmpty(entry)) this.core.touch(entry);
  }

  subBalance(address: Address, value: bigint): void {
    const entry = this.core.entry(address);
    if (value === 0n && entry.account) return;
    const account = draftOf(entry);
    if (value > account.balance) throw new RangeError("balance below zero");
    account.balance -= value;
    this.core.set(entry, account);
  }

  setNonce(address: Address, nonce: bigint): void {
    const entry = this.core.entry(address);
    const account = draftOf(entry);
    account.nonce = nonce;
    this.core.set(entry, account);
  }

  setKey(address: Address, key: AccountKey): void {
    const entry = this.core.entry(address);
    const account = draftOf(entry);
    account.key = key;
    this.core.set(entry, account);
  }

  setCode(address: Address, code: Uint8Array, codeInfo: number): void {
    const entry = this.core.entry(address);
    const account = draftOf(entry);
    const empty = code.length === 0;
    account.codeHash = empty ? EMPTY_CODE_HASH : keccak256(code);
    account.codeInfo = empty && account.type === "eoa" ? 0 : codeInfo;
    this.core.setWithCode(entry, account, empty ? EMPTY_BYTES : code.slice());
  }

  createEoa(address: Address): void {
    this.core.create(this.core.entry(address), newEoa(this.balance(address)));
  }

  createContract(address: Address, codeInfo = 0): void {
    this.core.create(this.core.entry(address), newContract(this.balance(address), codeInfo));
  }

  destroy(address: Address): void {
    this.core.destroy(this.core.entry(address));
  }

  isDestroyed(address: Address): boolean {
    return this.core.entry(address).destroyedAt === this.core.transaction;
  }

  isCreatedInTransaction(address: Address): boolean {
    return this.core.entry(address).createdAt === this.core.transaction;
  }

  touch(address: Address): void {
    this.core.touch(this.core.entry(address));
  }

  storage(address: Address, slot: Hash): Uint8Array {
    return this.#read(this.core.slots, address, slot);
  }

  committedStorage(address: Address, slot: Hash): Uint8Array {
    const words = this.#words;
    this.core.slots.readOriginal(this.#find(this.core.slots, address, slot), words, 0);
    return limbsToBytes(words, 0);
  }

  setStorage(address: Address, slot: Hash, value: Uint8Array): void {
    if (!this.exists(address)) this.createContract(address);
    this.#write(this.core.slots, address, slot, value);
    this.touch(address);
  }

  transientStorage(address: Address, slot: Hash): Uint8Array {
    return this.#read(this.core.transient, address, slot);
  }

  setTransientStorage(address: Address, slot: Hash, value: Uint8Array): void {
    this.#write(this.core.transient, address, slot, value);
  }

  isWarm(address: Address): boolean {
    return this.core.isWarm(this.core.entry(address));
  }

  warm(address: Address): void {
    this.core.warm(this.core.entry(address));
  }

  keepWarm(numbers: ReadonlySet<number>): void {
    this.core.accounts.keepWarm(numbers);
  }

  isWarmSlot(address: Address, slot: Hash): boolean {
    return this.core.slots.isWarm(this.#find(this.core.slots, address, slot), this.core.transaction);
  }

  warmSlot(address: Address, slot: Hash): void {
    this.core.slots.warm(this.#find(this.core.slots, address, slot), this.core.transaction);
  }

  get refund(): bigint {
    return BigInt(this.core.refund);
  }

  addRefund(gas: bigint): void {
    this.core.refund += Number(gas);
  }

  addLog(log: Log): void {
    this.core.logs.push(log);
  }

  get logs(): readonly Log[] {
    return this.core.logs;
  }

  checkpoint(): void {
    this.core.checkpoint();
  }

  commit(): void {
    this.core.commit();
  }

  revert(): void {
    this.core.revert();
  }

  endTransaction(): void {
    this.core.endTransaction();
  }

  changes(): StateChanges {
    return runSync(this.changesInSteps());
  }

  changesInSteps(): Generator<void, StateChanges> {
    return collectChanges(this.core);
  }

  #find(table: SlotTable, address: Address, slot: Hash): number {
    bytesToLimbs(slot, this.#words, 0);
    return table.find(this.core.entry(address).storageId, this.#words, 0);
  }

  #read(table: SlotTable, address: Address, slot: Hash): Uint8Array {
    table.read(this.#find(table, address, slot), this.#words, 0);
    return limbsToBytes(this.#words, 0);
  }

  #write(table: SlotTable, address: Address, slot: Hash, value: Uint8Array): void {
    const number = this.#find(table, address, slot);
    bytesToLimbs(value, this.#words, 8);
    table.write(number, this.#words, 8, this.core.checkpointId);
  }
}

/** What an entry's account is to become. */
function draftOf({ account }: AccountEntry): AccountDraft {
  return account === undefined ? newEoa() : copyOf(account);
}
