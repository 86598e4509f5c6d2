import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import type { Table } from "../../database/table/table.ts";
import { StateError } from "../errors.ts";
import type { Trie, TrieNodes } from "../trie/trie.ts";
import { TriePath } from "../trie/trie-path.ts";
import { TrieUpdater } from "../trie/trie-updater.ts";
import { ACCOUNT_KEY, type FlatChange, nameOf } from "./flat-changes.ts";
import { accountLeaf, slotLeaf, storageRootOf } from "./flat-rows.ts";
import type { StateTables } from "./tables.ts";

const NO_PREFIX = new Uint8Array(0);
/** One is enough: updates are synchronous and do not nest. */
const updater = new TrieUpdater();

/** Trie nodes that changed, above those of the tables, until they are moved there or dropped. */
export class TrieStage {
  readonly #tables: Pick<StateTables, "flat" | "nodes">;
  readonly #nodes: ByteTable;
  /** Flat rows that differ from the table's; used where a past state is built. */
  readonly #rows: ByteTable | undefined;

  constructor(
    tables: Pick<StateTables, "flat" | "nodes">,
    { nodes = new ByteTable(), rows }: { nodes?: ByteTable; rows?: ByteTable } = {},
  ) {
    this.#tables = tables;
    this.#nodes = nodes;
    this.#rows = rows;
  }

  /** The account trie as this stage has it. */
  accountTrie(): Trie {
    return {
      nodes: new StagedNodes(this.#tables.nodes, this.#nodes, NO_PREFIX),
      leaf: (key) => leafOf(this.#row(key), accountLeaf),
    };
  }

  /** The storage trie of an account as this stage has it. */
  storageTrie(accountHash: Hash): Trie {
    const key = new Uint8Array(2 * ACCOUNT_KEY);
    key.set(accountHash);
    return {
      nodes: new StagedNodes(this.#tables.nodes, this.#nodes, accountHash),
      leaf: (slotHash) => {
        key.set(slotHash, ACCOUNT_KEY);
        return leafOf(this.#row(key), slotLeaf);
      },
    };
  }

  /** Hashes changed slots of one account into its trie. */
  hashStorage = (accountHash: Hash, root: Hash, slots: readonly FlatChange[]): Hash => {
    const keys = slots.map(({ key }) => key.subarray(ACCOUNT_KEY));
    const leaves = slots.map(({ after }) => after && slotLeaf(after));
    return updater.apply(this.storageTrie(accountHash), root, keys, leaves);
  };

  /** Hashes changed accounts into the account trie; changes of slots are passed over. */
  hashAccounts(root: Hash, changes: readonly FlatChange[]): Hash {
    const accounts = changes.filter(({ key }) => key.length === ACCOUNT_KEY);
    const keys = accounts.map(({ key }) => key);
    return updater.apply(
      this.accountTrie(),
      root,
      keys,
      accounts.map(({ after }) => after && accountLeaf(after)),
    );
  }

  /**
   * Hashes changes of which the account rows have their storage roots already, as those from a log or a history.
   * @throws StateError `STATE_DAMAGED` when a storage root differs
   */
  hashAll(root: Hash, changes: readonly FlatChange[]): Hash {
    const byAccount = new Map<string, { slots: FlatChange[]; account: FlatChange | undefined }>();
    for (const change of changes) {
      const name = nameOf(change.key, ACCOUNT_KEY);
      const group = byAccount.get(name) ?? { slots: [], account: undefined };
      if (change.key.length === ACCOUNT_KEY) group.account = change;
      else group.slots.push(change);
      byAccount.set(name, group);
    }
    for (const { slots, account } of byAccount.values()) {
      const first = slots[0];
      if (!first) continue;
      const accountHash = first.key.subarray(0, ACCOUNT_KEY);
      const newRoot = this.hashStorage(accountHash, storageRootOf(account?.before), slots);
      if (!account || !equalBytes(newRoot, storageRootOf(account.after)))
        throw new StateError("STATE_DAMAGED", "storage does not hash to the root of its account");
    }
    return this.hashAccounts(root, changes);
  }

  /** Moves the nodes into their table. */
  moveToTables(): void {
    for (const [key, record] of this.#nodes.entries()) this.#tables.nodes.put(key, record);
  }

  #row(key: Uint8Array): Uint8Array | undefined {
    const changed = this.#rows?.get(key);
    return changed === undefined ? this.#tables.flat.view(key) : (changed ?? undefined);
  }
}

class StagedNodes implements TrieNodes {
  readonly #table: Table;
  readonly #staged: ByteTable;
  readonly #path: TriePath;

  constructor(table: Table, staged: ByteTable, prefix: Uint8Array) {
    this.#table = table;
    this.#staged = staged;
    this.#path = new TriePath(prefix);
  }

  get(key: Uint8Array, depth: number): Uint8Array | undefined {
    const path = this.#path.of(key, depth);
    const staged = this.#staged.get(path);
    return staged === undefined ? this.#table.view(path) : (staged ?? undefined);
  }

  set(key: Uint8Array, depth: number, record: Uint8Array | null): void {
    this.#staged.set(this.#path.of(key, depth), record);
  }
}

function leafOf(row: Uint8Array | undefined, leaf: (row: Uint8Array) => Uint8Array): Uint8Array | undefined {
  return row && leaf(row);
}
