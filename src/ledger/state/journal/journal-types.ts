import type { Account } from "../../../protocol/account/account.ts";
import type { AccountKey } from "../../../protocol/account/key.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateChanges } from "../state.ts";
import type { JournalCore } from "./journal-core.ts";

/**
 * A mutable view of a state with nested checkpoints, for the duration of one block. `endTransaction` closes each
 * transaction: it deletes destroyed and touched empty accounts and clears accessed addresses and slots, transient
 * storage, refund counter and logs. `changes` collects what the block has changed. Nothing here hashes.
 */
export interface StateJournal {
  account(address: Address): Account | undefined;
  exists(address: Address): boolean;
  /** EOA: nonce 0, balance 0, legacy key; contract: nonce 0, balance 0, no code. Absent accounts are empty too. */
  isEmpty(address: Address): boolean;
  balance(address: Address): bigint;
  nonce(address: Address): bigint;
  code(address: Address): Uint8Array;
  codeHash(address: Address): Hash | undefined;

  setBalance(address: Address, value: bigint): void;
  addBalance(address: Address, value: bigint): void;
  subBalance(address: Address, value: bigint): void;
  setNonce(address: Address, nonce: bigint): void;
  setKey(address: Address, key: AccountKey): void;
  /** Also sets `codeInfo`. On an EOA this is an EIP-7702 delegation; empty code clears it and sets codeInfo to 0. */
  setCode(address: Address, code: Uint8Array, codeInfo: number): void;
  /** Creates an EOA with a legacy key, keeping the balance of an account at the address. */
  createEoa(address: Address): void;
  /** Creates a contract account (nonce 0, fail key, empty code), keeping the balance at the address; `codeInfo` defaults to 0. */
  createContract(address: Address, codeInfo?: number): void;
  /** Marks an account for deletion at the end of the transaction and zeroes its balance. */
  destroy(address: Address): void;
  isDestroyed(address: Address): boolean;
  /** Whether the account was created in the running transaction (EIP-6780). */
  isCreatedInTransaction(address: Address): boolean;
  /** Marks an account as touched: deleted at the end of the transaction if empty. */
  touch(address: Address): void;

  /** 32 bytes each. */
  storage(address: Address, slot: Hash): Uint8Array;
  /** Value at the start of the transaction. */
  committedStorage(address: Address, slot: Hash): Uint8Array;
  setStorage(address: Address, slot: Hash, value: Uint8Array): void;

  /** Transient storage (EIP-1153): 32 bytes, cleared at the end of the transaction. */
  transientStorage(address: Address, slot: Hash): Uint8Array;
  setTransientStorage(address: Address, slot: Hash, value: Uint8Array): void;

  isWarm(address: Address): boolean;
  warm(address: Address): void;
  /**
   * Makes the accounts at these numeric addresses (below 2^32) warm in this and all later transactions without reading
   * them: the precompiles, of which a transaction rarely needs more than one.
   */
  keepWarm(numbers: ReadonlySet<number>): void;
  isWarmSlot(address: Address, slot: Hash): boolean;
  warmSlot(address: Address, slot: Hash): void;

  readonly refund: bigint;
  addRefund(gas: bigint): void;
  addLog(log: Log): void;
  /** Logs of the running transaction so far. */
  readonly logs: readonly Log[];

  checkpoint(): void;
  commit(): void;
  revert(): void;
  endTransaction(): void;
  /** All changes since the journal was created; the journal stays usable. */
  changes(): StateChanges;
  /** As `changes`, a millisecond of work per step; the journal must not change meanwhile. */
  changesInSteps(): Generator<void, StateChanges>;

  /** The same contents as account entries and 32-bit limbs, without conversions: for an EVM engine. */
  readonly core: JournalCore;
}
