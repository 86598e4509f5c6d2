import { mergeSort } from "../../../platform/runtime/merge-sort.ts";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import type { Trie, TrieNodes } from "../trie/trie.ts";
import { TriePath } from "../trie/trie-path.ts";
import { TrieUpdater } from "../trie/trie-updater.ts";
import { ACCOUNT_KEY, byKey, type FlatChange, nameOf } from "./flat/flat-changes.ts";
import { accountLeaf, slotLeaf, storageRootOf } from "./flat/flat-rows.ts";
import type { Rows, TrieRows } from "./flat/row-snapshot.ts";
import type { StateTables } from "./tables.ts";

const NO_PREFIX = new Uint8Array(0);
/** Keys hashed per step: some two milliseconds. */
const KEYS_PER_STEP = 256;
/** Shared, as updates are synchronous and do not nest. */
const updater = new TrieUpdater();

/** Changed trie nodes in a layer above the tables, to be written there or dropped. */
export class TrieStage {
  readonly #tables: TrieRows;
  readonly #nodes: ByteTable;
  /** Flat rows that differ from the table's, as far as hashed; required for hashing in steps. */
  readonly #rows: ByteTable | undefined;

  constructor(
    tables: TrieRows,
    { nodes = new ByteTable(), rows }: { nodes?: ByteTable; rows?: ByteTable } = {},
  ) {
    this.#tables = tables;
    this.#nodes = nodes;
    this.#rows = rows;
  }

  /** Whether the stage keeps changed flat rows as well as nodes. */
  get hasRows(): boolean {
    return this.#rows !== undefined;
  }

  /** The account trie as of this stage. */
  accountTrie(): Trie {
    return {
      nodes: new StagedNodes(this.#tables.nodes, this.#nodes, NO_PREFIX),
      leaf: (key) => leafOf(this.row(key), accountLeaf),
    };
  }

  /** The storage trie of an account as of this stage. */
  storageTrie(accountHash: Hash): Trie {
    const key = new Uint8Array(2 * ACCOUNT_KEY);
    key.set(accountHash);
    return {
      nodes: new StagedNodes(this.#tables.nodes, this.#nodes, accountHash),
      leaf: (slotHash) => {
        key.set(slotHash, ACCOUNT_KEY);
        return leafOf(this.row(key), slotLeaf);
      },
    };
  }

  /** Hashes changed slots of one account into its trie, in steps if the stage keeps rows. */
  hashSlots = (accountHash: Hash, root: Hash, slots: readonly FlatChange[]): Generator<void, Hash> =>
    this.#inParts(slots, root, (before, part) => this.hashStorage(accountHash, before, part));

  /** As `hashAccounts`, in steps if the stage keeps rows. */
  hashAccountsInSteps(root: Hash, changes: readonly FlatChange[]): Generator<void, Hash> {
    const accounts = changes.filter(({ key }) => key.length === ACCOUNT_KEY);
    return this.#inParts(accounts, root, (before, part) => this.hashAccounts(before, part));
  }

  /** Hashes changes of one trie part by part in key order, so that few nodes are hashed twice. */
  *#inParts(
    changes: readonly FlatChange[],
    root: Hash,
    hash: (root: Hash, part: readonly FlatChange[]) => Hash,
  ): Generator<void, Hash> {
    if (!this.#rows) return hash(root, changes);
    const sorted = changes.length > KEYS_PER_STEP ? yield* mergeSort(changes, byKey) : changes;
    let newRoot = root;
    for (const part of this.#parts(sorted, KEYS_PER_STEP)) {
      newRoot = hash(newRoot, part);
      yield;
    }
    return newRoot;
  }

  /** Hashes changed slots of one account into its trie. */
  hashStorage = (accountHash: Hash, root: Hash, slots: readonly FlatChange[]): Hash => {
    const keys = slots.map(({ key }) => key.subarray(ACCOUNT_KEY));
    const leaves = slots.map(({ after }) => after && slotLeaf(after));
    return updater.apply(this.storageTrie(accountHash), root, keys, leaves);
  };

  /** Hashes changed accounts into the account trie, ignoring slots. */
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
   * Hashes changes whose account rows already contain their storage roots, such as those from a log or a history.
   * @throws StateError `STATE_DAMAGED` when a storage root differs
   */
  hashAll(root: Hash, changes: readonly FlatChange[]): Hash {
    return runSync(this.hashInSteps(root, changes, changes.length));
  }

  /**
   * As `hashAll`, in steps.
   * @param keys - maximum number of keys hashed per step
   */
  *hashInSteps(root: Hash, changes: readonly FlatChange[], keys: number): Generator<void, Hash> {
    const byAccount = new Map<string, { slots: FlatChange[]; account: FlatChange | undefined }>();
    const accounts: FlatChange[] = [];
    for (const [i, change] of changes.entries()) {
      if (i % keys === keys - 1) yield;
      const name = nameOf(change.key, ACCOUNT_KEY);
      const group = byAccount.get(name) ?? { slots: [], account: undefined };
      if (change.key.length === ACCOUNT_KEY) {
        group.account = change;
        accounts.push(change);
      } else group.slots.push(change);
      byAccount.set(name, group);
    }
    for (const { slots, account } of byAccount.values()) {
      const first = slots[0];
      if (!first) continue;
      const accountHash = first.key.subarray(0, ACCOUNT_KEY);
      let newRoot = storageRootOf(account?.before);
      for (const part of this.#parts(slots, keys)) {
        newRoot = this.hashStorage(accountHash, newRoot, part);
        yield;
      }
      if (!account || !equalBytes(newRoot, storageRootOf(account.after)))
        throw new StateError("STATE_DAMAGED", "storage does not hash to the root of its account");
    }
    let newRoot = root;
    for (const part of this.#parts(accounts, keys)) {
      newRoot = this.hashAccounts(newRoot, part);
      yield;
    }
    return newRoot;
  }

  /** Splits changes into parts; the rows of a part are added to the stage as it is yielded. */
  *#parts(changes: readonly FlatChange[], size: number): Generator<readonly FlatChange[]> {
    for (let at = 0; at < changes.length; at += size) {
      const part = changes.slice(at, at + size);
      for (const { key, after } of this.#rows ? part : []) this.#rows?.set(key, after);
      yield part;
    }
  }

  /** Writes the nodes to their table. */
  writeTo({ nodes }: Pick<StateTables, "nodes">): void {
    for (const [key, record] of this.#nodes.entries()) nodes.put(key, record);
  }

  /** Hands rows and nodes over to the tables, in time independent of their number. The stage is unusable afterwards. */
  handOverTo({ flat, nodes }: Pick<StateTables, "flat" | "nodes">): void {
    if (this.#rows) flat.adopt(this.#rows);
    nodes.adopt(this.#nodes);
  }

  /** Record keys of the changed nodes. */
  *paths(): Generator<Uint8Array> {
    for (const [path] of this.#nodes.entries()) yield path;
  }

  /** A flat row as of this stage; a view. */
  row(key: Uint8Array): Uint8Array | undefined {
    const changed = this.#rows?.get(key);
    return changed === undefined ? this.#tables.flat.view(key) : (changed ?? undefined);
  }
}

class StagedNodes implements TrieNodes {
  readonly #table: Rows;
  readonly #staged: ByteTable;
  readonly #path: TriePath;

  constructor(table: Rows, staged: ByteTable, prefix: Uint8Array) {
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
