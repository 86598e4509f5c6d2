import type { StateChanges, StateReader } from "../../../src/ledger/state/state.ts";
import { rootOfEntries } from "../../../src/ledger/state/testing/root-of-entries.ts";
import {
  type Account,
  EMPTY_CODE_HASH,
  EMPTY_ROOT,
  newContract,
  newEoa,
} from "../../../src/protocol/account/account.ts";
import { delegationTarget } from "../../../src/protocol/account/delegation.ts";
import { encodeItem } from "../../../src/protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import {
  type Address,
  bigintToBytes,
  EMPTY_BYTES,
  type Hash,
  trimLeadingZeros,
} from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";

/** Slots by number in hexadecimal; values without leading zeros, never empty. */
type Storage = Map<string, Uint8Array>;

/** An initial account. */
export interface FirstAccount {
  readonly address: Address;
  /** wei */
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array;
  /** Slots of 32 bytes; values may have leading zeros. */
  readonly storage: readonly (readonly [slot: Hash, value: Uint8Array])[];
}

/** Shows a journal that an account has slots; the true root is computed on demand. */
const STORED: Hash = Uint8Array.from({ length: 32 }, () => 1);

/** A small state in memory that is hashed as Ethereum hashes it. */
export class WorldState implements StateReader {
  readonly #accounts: Map<string, Account> = new Map();
  readonly #storages: Map<string, Storage> = new Map();
  readonly #codes: Map<string, Uint8Array> = new Map();

  constructor(accounts: readonly FirstAccount[]) {
    for (const account of accounts) this.#put(account);
  }

  account(address: Address): Account | undefined {
    return this.#accounts.get(bytesToHex(address));
  }

  storage(address: Address, slot: Hash): Uint8Array {
    return this.#storages.get(bytesToHex(address))?.get(bytesToHex(slot)) ?? EMPTY_BYTES;
  }

  code(codeHash: Hash): Uint8Array {
    return this.#codes.get(bytesToHex(codeHash)) ?? EMPTY_BYTES;
  }

  /** Applies what a journal over this state has changed. */
  apply({ accounts }: StateChanges): void {
    for (const { address, account, storageCleared, storage } of accounts) {
      const key = bytesToHex(address);
      if (account) this.#accounts.set(key, account);
      else this.#accounts.delete(key);
      if (storageCleared) this.#storages.delete(key);
      for (const { slot, value } of storage) this.#write(key, bytesToHex(slot), value);
    }
  }

  /** Removes an account and its storage. */
  remove(address: Address): void {
    this.#accounts.delete(bytesToHex(address));
    this.#storages.delete(bytesToHex(address));
  }

  /** All accounts, with their slots as `slot=value` in hexadecimal. */
  *accounts(): Iterable<{ address: string; account: Account; slots: string[] }> {
    for (const [address, account] of this.#accounts) {
      const slots = [...(this.#storages.get(address) ?? [])];
      yield { address, account, slots: slots.map(([slot, value]) => `${slot}=${bytesToHex(value)}`) };
    }
  }

  /** Root over accounts as Ethereum encodes them: nonce, balance, storage root, code hash. */
  root(): Hash {
    return rootOfEntries(
      [...this.#accounts].map(([address, { nonce, balance, codeHash }]) => {
        const fields = [bigintToBytes(nonce), bigintToBytes(balance), this.#storageRoot(address), codeHash];
        return [keccak256(hexToBytes(address)), encodeItem(fields)];
      }),
    );
  }

  #storageRoot(address: string): Hash {
    const slots = this.#storages.get(address);
    if (!slots || slots.size === 0) return EMPTY_ROOT;
    return rootOfEntries([...slots].map(([slot, value]) => [keccak256(hexToBytes(slot)), encodeItem(value)]));
  }

  #put({ address, balance, nonce, code, storage }: FirstAccount): void {
    const key = bytesToHex(address);
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code);
    this.#codes.set(bytesToHex(codeHash), code);
    for (const [slot, value] of storage) this.#write(key, bytesToHex(slot), trimLeadingZeros(value));
    const isContract = code.length > 0 && delegationTarget(code) === undefined;
    const born = isContract ? newContract(balance) : newEoa(balance);
    const storageRoot = this.#storages.has(key) ? STORED : EMPTY_ROOT;
    this.#accounts.set(key, { ...born, nonce, codeHash, storageRoot });
  }

  #write(address: string, slot: string, value: Uint8Array): void {
    const slots = this.#storages.get(address) ?? new Map();
    this.#storages.set(address, slots);
    if (value.length === 0) slots.delete(slot);
    else slots.set(slot, value);
  }
}
