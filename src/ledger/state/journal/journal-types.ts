import type { Account } from "../../../protocol/account/account.ts";
import type { AccountKey } from "../../../protocol/account/key.ts";
import type { Log } from "../../../protocol/block/receipt.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateChanges } from "../state.ts";
import type { JournalCore } from "./journal-core.ts";

/**
 * A changing view of one state, with nested checkpoints. Lives for one block: `endTransaction` closes each
 * transaction (deletes destroyed and touched empty accounts, forgets access lists, transient storage, refunds, logs),
 * `changes` collects what the block did. Nothing here hashes.
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
  /** Also sets `codeInfo`. On an EOA this is an EIP-7702 delegation (empty code clears it, codeInfo 0). */
  setCode(address: Address, code: Uint8Array, codeInfo: number): void;
  /** Makes a new EOA with a legacy key; keeps the balance of an account that was there. */
  createEoa(address: Address): void;
  /** Makes a new contract account (nonce 0, fail key, empty code), keeping a balance that was there; `codeInfo` is 0 unless given. */
  createContract(address: Address, codeInfo?: number): void;
  /** Marks an account to be deleted at the end of the transaction and takes its balance. */
  destroy(address: Address): void;
  isDestroyed(address: Address): boolean;
  /** Whether the account was created in the running transaction (EIP-6780). */
  isCreatedInTransaction(address: Address): boolean;
  /** Marks an account as touched, so that it is deleted at the end of the transaction when empty. */
  touch(address: Address): void;

  /** 32 bytes each. */
  storage(address: Address, slot: Hash): Uint8Array;
  /** Value at the start of the transaction. */
  committedStorage(address: Address, slot: Hash): Uint8Array;
  setStorage(address: Address, slot: Hash, value: Uint8Array): void;

  /** Transient storage (EIP-1153): 32 bytes, forgotten at the end of the transaction. */
  transientStorage(address: Address, slot: Hash): Uint8Array;
  setTransientStorage(address: Address, slot: Hash, value: Uint8Array): void;

  isWarm(address: Address): boolean;
  warm(address: Address): void;
  /**
   * Makes the accounts whose addresses are these numbers (below 2^32) warm in this and all later transactions, without
   * reading them: the precompiles, of which a transaction needs one at most.
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
  /** Everything changed since the journal was made; the journal can go on afterwards. */
  changes(): StateChanges;

  /** The same state by account entries and 32-bit limbs, free of conversions: for an execution engine. */
  readonly core: JournalCore;
}
