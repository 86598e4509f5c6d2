import type { Pace } from "../../platform/runtime/turns/pace.ts";
import type { Account } from "../../protocol/account/account.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import type { CacheUsage } from "../../protocol/primitives/lru.ts";
import type { DiskHealth, Health } from "../database/disk-health.ts";
import type { TableUsage } from "../database/table/table.ts";
import type { TriePosition } from "./trie/read-node.ts";

/** Read access to the state after one block. Reads are synchronous. */
export interface StateReader {
  /** Undefined for an account that does not exist. */
  account(address: Address): Account | undefined;
  /** Value of a slot without leading zeros; empty when zero. `slot` has 32 bytes. */
  storage(address: Address, slot: Hash): Uint8Array;
  /** Code by its hash; empty for the hash of the empty string. */
  code(codeHash: Hash): Uint8Array;
}

/** The target of a proof: an account with its storage, after a block. */
export interface ProofTarget {
  readonly number: bigint;
  /** Absent = any account, which requires a recent block. */
  readonly address?: Address;
}

/** Position of a trie node in the state. */
export interface NodePosition extends TriePosition {
  /** Hashed address of the account whose storage trie holds the node; absent in the account trie. */
  readonly owner?: Hash | undefined;
}

/** A trie node with those of its children that have a hash; the child of an account leaf is its storage root. */
export interface StateNode {
  readonly hash: Hash;
  readonly rlp: Uint8Array;
  readonly children: readonly { readonly hash: Hash; readonly position: NodePosition }[];
}

/** An account with its hashed address, the key in the state trie. */
export interface AccountRecord {
  readonly hash: Hash;
  readonly address: Address;
  readonly account: Account;
}

/** A slot with its hashed key, the key in the storage trie. The value has no leading zeros. */
export interface SlotRecord {
  readonly hash: Hash;
  readonly slot: Hash;
  readonly value: Uint8Array;
}

/**
 * The state after one block as stored in the database, for dumps and proofs. Iterations must end before the next block
 * is committed. Reads throw `STATE_PRUNED` once the state has been pruned.
 */
export interface StateView extends StateReader {
  /** State root; as expensive as a proof if the block is not recent. */
  readonly root: Hash;
  /** Accounts in order of hashed address, starting at `from`. */
  accounts(from?: Hash): Iterable<AccountRecord>;
  /** Slots of an account in order of hashed key, starting at `from`. */
  slots(address: Address, from?: Hash): Iterable<SlotRecord>;
  /**
   * RLP of the trie nodes on the path from the root to an account; also proves absence. @see EIP-1186
   * @throws StateError `STATE_PRUNED` for a state that is too old
   */
  proveAccount(address: Address): Uint8Array[];
  /** As `proveAccount`, for a slot in the storage trie of an account; empty without storage. */
  proveStorage(address: Address, slot: Hash): Uint8Array[];
  /** The trie node at a position, whatever its hash in this state; undefined if there is none. */
  node(position: NodePosition): StateNode | undefined;
}

/** The state changes of a block or the genesis; produced by a `StateJournal`, consumed by a `StateStore`. */
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
  /** The storage from before the block is gone: the account was destroyed, and perhaps recreated. */
  readonly storageCleared: boolean;
  /** Changed slots, each once. */
  readonly storage: SlotChanges;
}

/** The change of one slot: value without leading zeros, empty = delete. */
export interface SlotChange {
  readonly slot: Hash;
  readonly value: Uint8Array;
}

/** Slot changes with a stable iteration order: an array, or `PackedSlots` for many. */
export interface SlotChanges extends Iterable<SlotChange> {
  readonly length: number;
}

/**
 * Changes on top of the head, hashed but not committed. A plain value: any number may exist at a time, and those that
 * are not needed are simply dropped.
 */
export interface StagedState {
  readonly root: Hash;
  /** Whether the head's state is still the one the changes were hashed on, so that they can be committed. */
  readonly isCurrent: boolean;
  /**
   * Makes the staged state the head, together with rows of other tables, as one atomic record. Readers in this process
   * see it immediately; `durable` resolves when it is on disk.
   * @throws StateError `STATE_STALE` when it is not current, `STATE_ORDER` when the block does not follow the head
   */
  commit(block: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> };
  /**
   * As `commit`, in steps: they encode the record, and the last one makes the state the head and writes the rows.
   * @throws StateError `STATE_STALE` also when the head's state has changed between the steps
   */
  commitInSteps(
    block: { number: bigint; hash: Hash },
    rows: readonly Row[],
  ): Generator<void, { readonly durable: Promise<void> }>;
}

/** A change of the head's state outside any block. */
export interface Amendment {
  /** Memory of the rows needed to undo it. */
  readonly bytes: number;
  /** Resolves when it is on disk. */
  readonly durable: Promise<void>;
  /**
   * Undoes it by a further amendment. Later blocks and amendments must have been undone first.
   * @throws StateError `STATE_STALE` if they have not
   */
  undo(): { readonly durable: Promise<void> };
}

/** One row of a table; `value` null deletes it. */
export interface Row {
  readonly table: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** The chain's database: the state with its history, and tables written in the same atomic records as the state. */
export interface StateStore {
  /** Whether the disk accepts writes; as long as it does not, every operation that writes throws. */
  readonly health: StoreHealth;
  /** Number and hash of the newest committed block; undefined in an empty database. */
  readonly head: { readonly number: bigint; readonly hash: Hash; readonly root: Hash } | undefined;
  /** Whether the state of every block from now on is kept. */
  readonly isArchive: boolean;
  /** A view that always shows the newest committed state, also after later blocks. */
  latest(): StateView;
  /** State after block `number`; undefined when its history is not kept. */
  at(number: bigint): StateView | undefined;
  /** Contract code by its hash, from any state; undefined for an unknown hash. */
  code(hash: Hash): Uint8Array | undefined;
  /**
   * Calls `use` with the view of `at`, ready for proofs and nodes of the target: the tries of a past state are rebuilt
   * first, in time slices, while the chain may advance. The view is valid during the call.
   * @throws StateError `STATE_PRUNED` for a state that is too old or pruned meanwhile; what the pace throws
   */
  prove<T>(target: ProofTarget, pace: Pace, use: (view: StateView | undefined) => T): Promise<T>;
  /**
   * Calls `use` with a function that hashes a sequence of successor states of block `number`, none of which is stored.
   * The chain may advance meanwhile.
   * @param pace - of what is prepared before the call
   * @throws StateError `STATE_PRUNED` for a state that is not kept or too old; what the pace throws
   */
  hashSuccessors<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T>;
  /**
   * The changes of a recent block as recorded in the history, where cleared storage appears as slots set to zero.
   * @throws StateError `STATE_PRUNED` for a block whose own changes are no longer kept
   */
  changesOf(number: bigint): StateChanges;
  /** @returns a function that tells whether the head's state is unchanged since this call; once false, it stays false */
  watch(): () => boolean;
  /** Hashes changes on top of the head without committing them. */
  stage(changes: StateChanges): StagedState;
  /** As `stage`, in steps if there are many changes. @throws StateError `STATE_STALE` when the head changes between steps */
  stageInSteps(changes: StateChanges): Generator<void, StagedState>;
  /**
   * Rewinds to the state after block `to`, writing and deleting `rows` in the same record.
   * @throws StateError `STATE_PRUNED` when that is too far back
   */
  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> };
  /**
   * Prepares a rewind to the state after block `number`, in steps that only hash.
   * @returns a function that rewinds in one step, as `rewind`; throws StateError `STATE_STALE` once the head has changed
   * @throws StateError `STATE_PRUNED`, and `STATE_STALE` when the head changes between steps
   */
  rewindInSteps(number: bigint): Generator<void, StateStore["rewind"]>;
  /**
   * Changes the head's state without a block, as one atomic record: the head keeps its number and hash, its state gets a
   * root other than its header's, and the next block builds on that. Rewinding below the head undoes it too.
   * For development chains only: no other node can reach this state.
   * @throws StateError `STATE_ORDER` in an empty database
   */
  amend(changes: StateChanges): Amendment;
  /**
   * As `amend`, in time slices: readers see the old state until the whole change takes effect at once.
   * @throws StateError `STATE_STALE` if a block or another amendment intervenes; what the pace throws
   */
  amendAtPace(changes: StateChanges, pace: Pace): Promise<Amendment>;
  /**
   * Combines all commits, rewinds and writes of `action` into one atomic record, even if it throws. Their promises of
   * durability resolve together with the returned one, so the action must not await them.
   */
  atomically(action: () => void): Promise<void>;
  /** A row as last committed or written, as a copy. */
  get(table: string, key: Uint8Array): Uint8Array | undefined;
  /** Rows with from ≤ key < to in ascending order, or descending with `reverse`; each valid until the next is read. */
  range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
    reverse?: boolean,
  ): Iterable<[Uint8Array, Uint8Array]>;
  /** Writes rows without a block (journals, indexes); resolves when durable. */
  write(rows: readonly Row[]): Promise<void>;
  /**
   * Rehashes the newest state and counts its contents.
   * @param onAccount - called with the hashed address of each account, in ascending order; valid during the call
   * @throws StateError `STATE_DAMAGED`
   */
  verify(onAccount?: (key: Uint8Array) => void): StateCounts;
  /** Rows and bytes (of keys and values) of each table; reads all of them. */
  tableSizes(): ReadonlyMap<string, TableSize>;
  /** Sizes that cost nothing to obtain. */
  stats(): StoreStats;
  /** Activity since the store was opened; costs next to nothing to obtain. */
  use(): StoreUsage;
  /**
   * Copies the database as it is now into an empty folder; reads and writes continue meanwhile.
   * @throws DatabaseError `DATABASE_FAILED`, `DATABASE_DAMAGED`, and `DATABASE_FORMAT` for a chain in memory
   */
  copyTo(directory: string): Promise<void>;
  /** Flushes all changes to the engine and closes its files. */
  close(): Promise<void>;
}

/** Hashes the state after further changes of the one hashed last, in steps. To be called again only once they have ended. */
export type HashNext = (changes: StateChanges) => Generator<void, HashedState>;

/** A state that has been hashed but is not stored. */
export interface HashedState {
  readonly root: Hash;
  /** The changes that led to it, whose accounts have their new storage roots. */
  readonly changes: StateChanges;
}

/** Health of the disk, and waiting for it to recover. */
export type StoreHealth = Pick<DiskHealth, "now" | "onChange" | "check" | "unlessFailing">;
export type { Health };

/** Activity of a database since it was opened. */
export interface StoreUsage {
  /** By table name. */
  readonly tables: ReadonlyMap<string, TableUsage & { readonly unflushedBytes: number }>;
  /** The cache of decoded accounts of the newest state. */
  readonly accounts: CacheUsage;
  /** Records so far, and writes to the log, each with a sync, and their bytes. */
  readonly log: { readonly records: number; readonly writes: number; readonly bytes: number };
  /** Completed flushes to the engine. */
  readonly flushes: number;
}

/** Size of one table of the database. */
export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
}

/** Number of rows of each kind in the state. */
export interface StateCounts {
  readonly accounts: number;
  readonly slots: number;
  readonly nodes: number;
  readonly codes: number;
}

/** Sizes of a state store, on disk and in memory. */
export interface StoreStats {
  /** Bytes of the engine's file, of the log, and of memory holding changes not yet flushed to the engine. */
  readonly storeBytes: number;
  readonly logBytes: number;
  readonly unflushedBytes: number;
  /** Records replayed from the log when the database was opened. */
  readonly replayed: number;
  /** Bytes of a torn record, cut short by a crash and never acknowledged, that were removed when the database was opened. */
  readonly truncatedBytes: number;
  /** The file that it was at the end of. */
  readonly tornFile?: string;
  /** The engine's file, if it was new, lost or unreadable, so that all rows came from the log; and where an unreadable one was moved. */
  readonly rebuiltFile?: string;
  readonly keptAs?: string;
}
