import type { Pace } from "../../platform/runtime/turns/pace.ts";
import type { Account } from "../../protocol/account/account.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { CacheUse } from "../../protocol/primitives/lru.ts";
import type { DiskHealth, Health } from "../database/disk-health.ts";
import type { TableUse } from "../database/table/table.ts";
import type { TriePlace } from "./trie/read-node.ts";

/** State at one block. Reads are synchronous. */
export interface StateReader {
  /** Undefined for an account that does not exist. */
  account(address: Address): Account | undefined;
  /** Value of a slot without leading zeros; empty when zero. `slot` has 32 bytes. */
  storage(address: Address, slot: Hash): Uint8Array;
  /** Code by its hash; empty for the hash of the empty string. */
  code(codeHash: Hash): Uint8Array;
}

/** The target of a proof: an account and slots of it, after a block. */
export interface ProofPlace {
  readonly number: bigint;
  /** Absent = of any, which takes a recent block. */
  readonly address?: Address;
}

/** Where a trie node of the state stands. */
export interface NodePlace extends TriePlace {
  /** Hash of the address of the account whose storage trie it is in; absent in the account trie. */
  readonly owner?: Hash | undefined;
}

/** A trie node with the nodes below it that have a hash; below the leaf of an account that is the root of its storage. */
export interface StateNode {
  readonly hash: Hash;
  readonly rlp: Uint8Array;
  readonly children: readonly { readonly hash: Hash; readonly place: NodePlace }[];
}

/** An account with the hash of its address, its key in the state trie. */
export interface AccountRecord {
  readonly hash: Hash;
  readonly address: Address;
  readonly account: Account;
}

/** A slot with the hash of its number, its key in the storage trie. The value has no leading zeros. */
export interface SlotRecord {
  readonly hash: Hash;
  readonly slot: Hash;
  readonly value: Uint8Array;
}

/**
 * State at one block as the database has it, for dumps and proofs. Iterations are to be finished before the next block is
 * committed. Reads of a state that was pruned meanwhile throw `STATE_PRUNED`.
 */
export interface StateView extends StateReader {
  /** Root of the state; for a block that is not recent it takes as long as a proof. */
  readonly root: Hash;
  /** Accounts in the order of their hashes, from a hash on. */
  accounts(from?: Hash): Iterable<AccountRecord>;
  /** Slots of an account in the order of their hashes, from a hash on. */
  slots(address: Address, from?: Hash): Iterable<SlotRecord>;
  /**
   * RLP of the trie nodes on the way to an account, from the root; proves absence too. @see EIP-1186
   * @throws StateError `STATE_PRUNED` for a state that is too far back
   */
  proveAccount(address: Address): Uint8Array[];
  /** The same for a slot in the storage trie of an account; empty without storage. */
  proveStorage(address: Address, slot: Hash): Uint8Array[];
  /** The trie node at a place, whatever hash it has in this state; undefined where there is none. */
  node(place: NodePlace): StateNode | undefined;
}

/** The state changes of one block (or genesis); produced by a `StateJournal`, consumed by a `StateStore`. */
export interface StateChanges {
  /** Each address once. */
  readonly accounts: readonly AccountChange[];
  /** New code by hash. */
  readonly codes: readonly { readonly hash: Hash; readonly code: Uint8Array }[];
}

/** The change of one account. */
export interface AccountChange {
  readonly address: Address;
  /** State after the block; undefined = deleted. Its `storageRoot` is ignored: the store computes it from `storage`. */
  readonly account: Account | undefined;
  /** The storage that existed before the block is gone (account destroyed, perhaps created again). */
  readonly storageCleared: boolean;
  /** Changed slots, each once. */
  readonly storage: SlotChanges;
}

/** The change of one slot: value without leading zeros, empty = delete. */
export interface SlotChange {
  readonly slot: Hash;
  readonly value: Uint8Array;
}

/** Changes of slots, in an order that stays the same: an array, or many of them packed. */
export interface SlotChanges extends Iterable<SlotChange> {
  readonly length: number;
}

/**
 * Changes applied on top of the head, hashed but not part of it. It is a value: any number of them may exist at a time, and
 * one that is not wanted is just dropped.
 */
export interface StagedState {
  readonly root: Hash;
  /** Whether the head's state is still the one that the changes were hashed on, so that they can be committed. */
  readonly isCurrent: boolean;
  /**
   * Makes the staged state the head together with rows of other tables, as one atomic record.
   * Visible at once to readers in this process; `durable` resolves when it is on disk.
   * @throws StateError `STATE_STALE` when it is not current, `STATE_ORDER` when the block does not follow the head
   */
  commit(block: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> };
  /**
   * As `commit`, in steps: the record is made first, and the last step makes the state the head and writes the rows.
   * @throws StateError `STATE_STALE` also when the head's state has changed between the steps
   */
  commitInSteps(
    block: { number: bigint; hash: Hash },
    rows: readonly Row[],
  ): Generator<void, { readonly durable: Promise<void> }>;
}

/** A change of the head's state that belongs to no block. */
export interface Amendment {
  /** Memory of the rows that it takes to take it back. */
  readonly bytes: number;
  /** Resolves when it is on disk. */
  readonly durable: Promise<void>;
  /**
   * Takes it back, as a further amendment. Blocks and amendments that came later must be gone.
   * @throws StateError `STATE_STALE` when they are not
   */
  undo(): { readonly durable: Promise<void> };
}

/** One row of a table; `value` null deletes it. */
export interface Row {
  readonly table: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** The chain's database: state with its history, and tables that are written in the same atomic record as the state. */
export interface StateStore {
  /** Whether the disk accepts writes. While it does not, everything that would write throws. */
  readonly health: StoreHealth;
  /** Number and hash of the newest committed block; undefined in an empty database. */
  readonly head: { readonly number: bigint; readonly hash: Hash; readonly root: Hash } | undefined;
  /** The newest committed state, also when later blocks become the head. */
  latest(): StateView;
  /** State after block `number`; undefined when its history is not kept. */
  at(number: bigint): StateView | undefined;
  /** Contract code by its hash, of whatever state; undefined for an unknown hash. */
  code(hash: Hash): Uint8Array | undefined;
  /**
   * Lets `use` have the view of `at` for proofs and nodes: the tries of a past state are made at a pace first, however the chain goes
   * on meanwhile. The view is good for proofs of that address, for the duration of the call.
   * @throws StateError `STATE_PRUNED` for a state that is too far back, or is forgotten meanwhile; what the pace throws
   */
  prove<T>(place: ProofPlace, pace: Pace, use: (view: StateView | undefined) => T): Promise<T>;
  /**
   * Lets `use` hash states that follow one another on the one after block `number` and are kept nowhere, at a pace,
   * however the chain goes on meanwhile.
   * @throws StateError `STATE_PRUNED` for a state that is not kept or too far back; what the pace throws
   */
  succeed<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T>;
  /**
   * What a recent block changed, as the history has it: storage that a block cleared is there as slots that became empty.
   * @throws StateError `STATE_PRUNED` for a block whose changes are no longer kept one by one
   */
  changesOf(number: bigint): StateChanges;
  /** A check of whether the newest state is still that of now; once it has changed, it says so for good. */
  watch(): () => boolean;
  /** Hashes changes on top of the head without touching it. */
  stage(changes: StateChanges): StagedState;
  /** As `stage`, many changes in steps. @throws StateError `STATE_STALE` when the head's state changes between them */
  stageInSteps(changes: StateChanges): Generator<void, StagedState>;
  /**
   * Goes back to the state after block `number`; deletes and writes `rows` in the same record.
   * @throws StateError `STATE_PRUNED` when that is too far back
   */
  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> };
  /**
   * Hashes the way back to the state after block `number` in steps that change nothing.
   * @returns what goes back in one step, as `rewind`; it throws StateError `STATE_STALE` once the head's state has changed
   * @throws StateError `STATE_PRUNED`, and `STATE_STALE` when that happens between the steps
   */
  rewindInSteps(number: bigint): Generator<void, StateStore["rewind"]>;
  /**
   * Changes the state after the head without a block, as one atomic record: the head keeps its number and hash, its state
   * gets another root than its header says, and the next block builds on that. Going back below the head undoes it too.
   * For development chains only: no other node can reach this state.
   * @throws StateError `STATE_ORDER` in an empty database
   */
  amend(changes: StateChanges): Amendment;
  /**
   * As `amend`, at a pace: others read the state as it was until all has changed at once.
   * @throws StateError `STATE_STALE` when blocks or other amendments come meanwhile; what the pace throws
   */
  amendAtPace(changes: StateChanges, pace: Pace): Promise<Amendment>;
  /**
   * Makes all that `action` commits, goes back and writes one atomic record, also when it throws. Each promise of
   * durability within resolves with the one that is returned: the action must not wait for them.
   */
  atomically(action: () => void): Promise<void>;
  /** A row as last committed or written, in memory of the caller. */
  get(table: string, key: Uint8Array): Uint8Array | undefined;
  /** Rows with from ≤ key < to in ascending order, or descending with `reverse`; each valid until the next step. */
  range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
    reverse?: boolean,
  ): Iterable<[Uint8Array, Uint8Array]>;
  /** Writes rows without a new block (journals, indexes); resolves when durable. */
  write(rows: readonly Row[]): Promise<void>;
  /**
   * Hashes the newest state again and counts what it holds.
   * @param onAccount - called with the hashed address of each account, in ascending order; valid during the call
   * @throws StateError `STATE_DAMAGED`
   */
  verify(onAccount?: (key: Uint8Array) => void): StateCounts;
  /** Rows and bytes (of keys and values) of each table; reads all of them. */
  tableSizes(): ReadonlyMap<string, TableSize>;
  /** Sizes that cost nothing to ask for. */
  stats(): StoreStats;
  /** What was done since it was opened; costs next to nothing to ask for. */
  use(): StoreUse;
  /**
   * Copies the database as it is now into an empty folder, while all goes on.
   * @throws DatabaseError `DATABASE_FAILED`, `DATABASE_DAMAGED`, and `DATABASE_FORMAT` for a chain in memory
   */
  copyTo(directory: string): Promise<void>;
  /** Writes all changes to the engine and gives its files back. */
  close(): Promise<void>;
}

/** The root after changes of the state that was hashed last. The next changes are hashed when it has resolved. */
export type HashNext = (changes: StateChanges) => Promise<Hash>;

/** State of the disk, and waiting for it. */
export type StoreHealth = Pick<DiskHealth, "now" | "onChange" | "check" | "unlessFailing">;
export type { Health };

/** What was done with a database since it was opened. */
export interface StoreUse {
  /** By the names of the tables. */
  readonly tables: ReadonlyMap<string, TableUse & { readonly waitingBytes: number }>;
  /** Accounts of the newest state that were available in decoded form. */
  readonly accounts: CacheUse;
  /** Records so far, and what was written to the log: writes, each with a sync, and bytes. */
  readonly log: { readonly records: number; readonly writes: number; readonly bytes: number };
  /** How often the changes in memory were written to the engine. */
  readonly flushes: number;
}

/** Size of one table of the database. */
export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

/** How many rows of each kind the state has. */
export interface StateCounts {
  readonly accounts: number;
  readonly slots: number;
  readonly nodes: number;
  readonly codes: number;
}

/** Sizes of a state store, on disk and in memory. */
export interface StoreStats {
  /** Bytes of the engine's file, of the log, and of memory that holds changes the engine does not have yet. */
  readonly storeBytes: number;
  readonly logBytes: number;
  readonly waitingBytes: number;
  /** Records that were found in the log when the database was opened. */
  readonly replayed: number;
  /** Bytes of a record that was cut short by a crash, never acknowledged and removed when the database was opened. */
  readonly cutBytes: number;
}
