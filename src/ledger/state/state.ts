import type { Account } from "../../protocol/account/account.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";

/** State at one block. Reads are synchronous. */
export interface StateReader {
  /** Undefined for an account that does not exist. */
  account(address: Address): Account | undefined;
  /** Value of a slot without leading zeros; empty when zero. `slot` has 32 bytes. */
  storage(address: Address, slot: Hash): Uint8Array;
  /** Code by its hash; empty for the hash of the empty string. */
  code(codeHash: Hash): Uint8Array;
}

/** What one block (or one genesis) changes; made by a `StateJournal`, taken by a `StateStore`. */
export interface StateChanges {
  /** Each address once. */
  readonly accounts: readonly AccountChange[];
  /** New code by hash. */
  readonly codes: readonly { readonly hash: Hash; readonly code: Uint8Array }[];
}

export interface AccountChange {
  readonly address: Address;
  /** State after the block; undefined = deleted. Its `storageRoot` is ignored: the store computes it from `storage`. */
  readonly account: Account | undefined;
  /** The storage that existed before the block is gone (account destroyed, perhaps made anew). */
  readonly storageCleared: boolean;
  /** Changed slots, each once; value without leading zeros, empty = delete. */
  readonly storage: readonly { readonly slot: Hash; readonly value: Uint8Array }[];
}

/** Changes applied on top of the head, hashed but not yet part of it. At most one is open at a time. */
export interface StagedState {
  readonly root: Hash;
  /**
   * Makes the staged state the head together with rows of other tables, as one atomic record.
   * Visible at once to readers in this process; `durable` resolves when it is on disk.
   */
  commit(block: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> };
  discard(): void;
}

/** One row of a table; `value` null deletes it. */
export interface Row {
  readonly table: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** The chain's database: state with its history, and tables that are written in the same atomic record as the state. */
export interface StateStore {
  /** Number and hash of the newest committed block; undefined in an empty database. */
  readonly head: { readonly number: bigint; readonly hash: Hash; readonly root: Hash } | undefined;
  /** The newest committed state. */
  latest(): StateReader;
  /** State after block `number`; undefined when its history is not kept. */
  at(number: bigint): StateReader | undefined;
  stage(changes: StateChanges): StagedState;
  /** Goes back to the state after block `number`; deletes and writes `rows` in the same record. */
  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> };
  get(table: string, key: Uint8Array): Uint8Array | undefined;
  /** Rows with from ≤ key < to in ascending order, or descending with `reverse`. */
  range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
    reverse?: boolean,
  ): Iterable<[Uint8Array, Uint8Array]>;
  /** Writes rows without a new block (journals, indexes); resolves when durable. */
  write(rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}
