import type { StateChanges, StateReader } from "../../../src/ledger/state/state.ts";
import type { Account } from "../../../src/protocol/account/account.ts";
import { encodeAccount } from "../../../src/protocol/account/account-codec.ts";
import { trieRoot } from "../../../src/protocol/block/ordered-trie.ts";
import { encodeItem } from "../../../src/protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import {
  type Address,
  EMPTY_BYTES,
  type Hash,
  trimLeadingZeros,
} from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";

interface Entry {
  account: Account;
  /** Slot (hex) to value without leading zeros. */
  readonly storage: Map<string, Uint8Array>;
}

/** A whole state in maps, hashed from scratch on demand: slow, plain, and independent of the node's own state store. */
export class MapState implements StateReader {
  readonly #entries = new Map<string, Entry>();
  readonly #codes = new Map<string, Uint8Array>();

  account(address: Address): Account | undefined {
    return this.#entries.get(bytesToHex(address))?.account;
  }

  storage(address: Address, slot: Hash): Uint8Array {
    return this.#entries.get(bytesToHex(address))?.storage.get(bytesToHex(slot)) ?? EMPTY_BYTES;
  }

  code(codeHash: Hash): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? EMPTY_BYTES;
  }

  setAccount(address: Address, account: Account): void {
    const entry = this.#entries.get(bytesToHex(address));
    this.#entries.set(bytesToHex(address), { account, storage: entry?.storage ?? new Map() });
  }

  setStorage(address: Address, slot: Hash, value: Uint8Array): void {
    const storage = this.#entries.get(bytesToHex(address))?.storage;
    const trimmed = trimLeadingZeros(value);
    if (trimmed.length === 0) storage?.delete(bytesToHex(slot));
    else storage?.set(bytesToHex(slot), trimmed);
  }

  setCode(code: Uint8Array): void {
    this.#codes.set(bytesToHex(keccak256(code)), code);
  }

  /** Applies the changes of a block. */
  apply(changes: StateChanges): void {
    for (const { code } of changes.codes) this.setCode(code);
    for (const { address, account, storageCleared, storage } of changes.accounts) {
      if (storageCleared || account === undefined) this.#entries.delete(bytesToHex(address));
      if (account === undefined) continue;
      this.setAccount(address, account);
      for (const { slot, value } of storage) this.setStorage(address, slot, value);
    }
  }

  /** The account as encoded in the trie; undefined if absent. */
  encoded(address: Address): Uint8Array | undefined {
    const entry = this.#entries.get(bytesToHex(address));
    return entry && encodeAccount({ ...entry.account, storageRoot: storageRoot(entry) });
  }

  root(): Hash {
    const entries = [...this.#entries].map(([key, entry]) => ({
      key: keccak256(hexToBytes(key)),
      value: encodeAccount({ ...entry.account, storageRoot: storageRoot(entry) }),
    }));
    return trieRoot(entries);
  }
}

function storageRoot({ storage }: Entry): Hash {
  return trieRoot(
    [...storage].map(([slot, value]) => ({ key: keccak256(hexToBytes(slot)), value: encodeItem(value) })),
  );
}
