import { type Account, EMPTY_CODE_HASH, EMPTY_ROOT } from "../../../../protocol/account/account.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import {
  type Address,
  EMPTY_BYTES,
  equalBytes,
  type Hash,
  ZERO_HASH,
} from "../../../../protocol/primitives/bytes.ts";
import type { AccountRecord, NodePosition, SlotRecord, StateNode, StateView } from "../../state.ts";
import { prove } from "../../trie/prove.ts";
import { ROOT_POSITION, readNode } from "../../trie/read-node.ts";
import type { AccountCache } from "../account-cache.ts";
import type { CodeStore } from "../code-store.ts";
import type { StateTables } from "../tables.ts";
import { TrieStage } from "../trie-stage.ts";
import { ACCOUNT_KEY, keyAfter, slotRange } from "./flat-changes.ts";
import { accountOfRow, addressOfRow, slotOfRow, slotValue, storageRootOf } from "./flat-rows.ts";

/** Slots stepped over one by one before seeking to the next account. */
const FEW_SLOTS = 16;

/** Where a view reads the rows and tries of its state. */
export interface FlatSource {
  /** A row of the flat table; valid until the next call. */
  row(key: Uint8Array): Uint8Array | null | undefined;
  /** Rows with from ≤ key < to; keys are copies. */
  rows(from: Uint8Array, to?: Uint8Array): Iterable<readonly [Uint8Array, Uint8Array]>;
  readonly root: Hash;
  /** The account trie of the state, and the storage trie of the account with this hashed address. */
  tries(owner: Hash): TrieStage;
}

/** The newest state, straight from the tables. */
export function headSource(tables: StateTables, root: () => Hash): FlatSource {
  return {
    row: (key) => tables.flat.view(key),
    rows: (from, to) => tables.flat.range(from, to),
    tries: () => new TrieStage(tables),
    get root() {
      return root();
    },
  };
}

/** A `StateView` over a source of rows and tries. */
export class FlatView implements StateView {
  readonly #source: FlatSource;
  readonly #codes: CodeStore;
  readonly #accounts: AccountCache | undefined;
  #owner: Address = EMPTY_BYTES;
  readonly #slotKey = new Uint8Array(2 * ACCOUNT_KEY);

  /** @param accounts - cache of accounts, from which changed ones must be removed */
  constructor(source: FlatSource, codes: CodeStore, accounts?: AccountCache) {
    this.#source = source;
    this.#codes = codes;
    this.#accounts = accounts;
  }

  get root(): Hash {
    return this.#source.root;
  }

  account(address: Address): Account | undefined {
    return this.#accounts === undefined ? this.#read(address) : this.#accounts.get(address, this.#read);
  }

  readonly #read = (address: Address): Account | undefined => {
    const row = this.#source.row(keccak256(address));
    return row ? accountOfRow(row) : undefined;
  };

  storage(address: Address, slot: Hash): Uint8Array {
    return slotValue(this.#source.row(this.#slotKeyOf(address, slot)));
  }

  code(codeHash: Hash): Uint8Array {
    return equalBytes(codeHash, EMPTY_CODE_HASH) ? EMPTY_BYTES : this.#codes.get(codeHash);
  }

  /** Reads tend to come in runs on one account, whose address is then hashed only once. */
  #slotKeyOf(address: Address, slot: Hash): Uint8Array {
    if (!equalBytes(address, this.#owner)) {
      this.#owner = address.slice();
      this.#slotKey.set(keccak256(address));
    }
    this.#slotKey.set(keccak256(slot), ACCOUNT_KEY);
    return this.#slotKey;
  }

  *accounts(from: Hash = new Uint8Array(ACCOUNT_KEY)): Generator<AccountRecord> {
    for (let start: Uint8Array | undefined = from; start; ) {
      let slots = 0;
      let next: Uint8Array | undefined;
      for (const [key, row] of this.#source.rows(start)) {
        if (key.length === ACCOUNT_KEY)
          yield { hash: key, address: addressOfRow(row), account: accountOfRow(row) };
        slots = key.length === ACCOUNT_KEY ? 0 : slots + 1;
        if (slots < FEW_SLOTS) continue;
        next = keyAfter(key.subarray(0, ACCOUNT_KEY));
        break;
      }
      start = next;
    }
  }

  *slots(address: Address, from?: Hash): Generator<SlotRecord> {
    for (const [key, row] of this.#source.rows(...slotRange(keccak256(address), from)))
      yield { hash: key.slice(ACCOUNT_KEY), slot: slotOfRow(row), value: slotValue(row) };
  }

  proveAccount(address: Address): Uint8Array[] {
    const accountHash = keccak256(address);
    return prove(this.#source.tries(accountHash).accountTrie(), this.#source.root, accountHash);
  }

  proveStorage(address: Address, slot: Hash): Uint8Array[] {
    const accountHash = keccak256(address);
    const root = storageRootOf(this.#source.row(accountHash));
    return prove(this.#source.tries(accountHash).storageTrie(accountHash), root, keccak256(slot));
  }

  node({ owner, ...position }: NodePosition): StateNode | undefined {
    const tries = this.#source.tries(owner ?? ZERO_HASH);
    if (owner !== undefined) {
      const node = readNode(tries.storageTrie(owner), position);
      return node && { ...node, children: node.children.map((child) => within(child, owner)) };
    }
    const node = readNode(tries.accountTrie(), position);
    if (node?.leafKey === undefined) return node;
    const root = storageRootOf(this.#source.row(node.leafKey));
    const storage = { hash: root, position: { ...ROOT_POSITION, owner: node.leafKey } };
    return { ...node, children: equalBytes(root, EMPTY_ROOT) ? [] : [storage] };
  }
}

type Child = StateNode["children"][number];

function within({ hash, position }: Child, owner: Hash): Child {
  return { hash, position: { ...position, owner } };
}
