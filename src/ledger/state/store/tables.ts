import type { Database } from "../../database/database.ts";
import type { Table } from "../../database/table/table.ts";

/** Inner trie nodes, keyed by path in the account trie, by account hash and path in storage tries. */
export const NODE_TABLE = "state.node";

/**
 * The tables of the state; only their names begin with `state.`.
 * - `flat`: account hash → account row; account hash, slot hash → slot row
 * - `nodes`: see `TriePath`; a storage key is never an account key, whose 33rd byte (a depth) is 62 or more
 * - `codes`: code hash → code
 * - `changes`: block number → `ChangeSet`, for the newest blocks
 * - `history`: kind, flat key, block number → flat row before that block, empty for none; see `Archive`
 * - `head`: the newest block, and the eras of the history
 */
export interface StateTables {
  readonly flat: Table;
  readonly nodes: Table;
  readonly codes: Table;
  readonly changes: Table;
  readonly history: Table;
  readonly head: Table;
}

/** The state's tables in a database. */
export function stateTables(database: Database): StateTables {
  return {
    flat: database.table("state.flat"),
    nodes: database.table(NODE_TABLE),
    codes: database.table("state.code"),
    changes: database.table("state.change"),
    history: database.table("state.history"),
    head: database.table("state.head"),
  };
}

/** The block number in the last 8 bytes of a key. */
export function keyNumber(key: Uint8Array): bigint {
  return new DataView(key.buffer, key.byteOffset + key.length - 8, 8).getBigUint64(0);
}
