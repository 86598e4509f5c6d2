import { type Account, hasStorage } from "../../protocol/account/account.ts";
import { type Address, EMPTY_BYTES, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { MissingState } from "../state/missing-state.ts";
import type { StateReader } from "../state/state.ts";
import { Fetcher } from "./fetcher.ts";
import type { ForkCache } from "./fork-cache.ts";
import type { RemoteSource } from "./remote-source.ts";

/** Predicts the slots likely to be read after a given one. */
export type SlotPredictor = (address: Address, slot: Hash) => readonly Hash[];

/**
 * The state of a remote chain after one block, fetched on demand and cached. Reads of parts not fetched yet throw
 * `MissingState`.
 */
export class RemoteState implements StateReader {
  readonly #cache: ForkCache;
  readonly #accounts: Fetcher;
  readonly #slots: Fetcher;
  readonly #hashes: Fetcher;
  readonly #predict: SlotPredictor;

  /** @param predict - slots worth fetching along with a given one */
  constructor(source: RemoteSource, cache: ForkCache, predict: SlotPredictor = () => []) {
    this.#cache = cache;
    this.#predict = predict;
    this.#accounts = new Fetcher(async (keys) => {
      const found = await source.accounts(keys.map(hexToBytes));
      for (const [i, { account, code }] of found.entries())
        cache.addAccount(keys[i] as string, account, code);
    });
    this.#slots = new Fetcher(async (keys) => {
      const values = await source.slots(keys.map(slotOfKey));
      for (const [i, value] of values.entries()) cache.addSlot(keys[i] as string, value);
    });
    this.#hashes = new Fetcher(async (keys) => {
      const hashes = await source.hashes(keys.map(BigInt));
      for (const [i, hash] of hashes.entries()) cache.addHash(keys[i] as string, hash);
    });
  }

  account(address: Address): Account | undefined {
    const key = bytesToHex(address);
    const known = this.#cache.account(key);
    if (known === undefined) throw new MissingState(`account ${key}`, () => this.#accounts.fetch(key));
    return known ?? undefined;
  }

  storage(address: Address, slot: Hash): Uint8Array {
    const account = this.account(address);
    if (account === undefined || !hasStorage(account)) return EMPTY_BYTES;
    const key = bytesToHex(address) + bytesToHex(slot);
    const value = this.#cache.slot(key);
    if (value === undefined) {
      const wanted = [slot, ...this.#predict(address, slot)];
      throw new MissingState(`slot ${key}`, () => this.prefetchSlots(address, wanted));
    }
    return value;
  }

  /** Code of an account that has been read; undefined for other hashes. */
  knownCode(codeHash: Hash): Uint8Array | undefined {
    return this.#cache.code(bytesToHex(codeHash));
  }

  code(codeHash: Hash): Uint8Array {
    return this.knownCode(codeHash) ?? EMPTY_BYTES;
  }

  /** Whether an account is known not to exist. */
  isAbsent(address: Address): boolean {
    return this.#cache.account(bytesToHex(address)) === null;
  }

  /** Hash of a block up to the fork point. */
  blockHash(number: bigint): Hash {
    const key = String(number);
    const hash = this.#cache.hash(key);
    if (hash === undefined) throw new MissingState(`hash of block ${key}`, () => this.#hashes.fetch(key));
    return hash;
  }

  /** Fetches accounts ahead of use, in one batch. */
  async prefetch(addresses: readonly Address[]): Promise<void> {
    const unknown = addresses.map(bytesToHex).filter((key) => this.#cache.account(key) === undefined);
    await Promise.all(unknown.map((key) => this.#accounts.fetch(key)));
  }

  /** Fetches slots ahead of use, in one batch. */
  async prefetchSlots(address: Address, slots: readonly Hash[]): Promise<void> {
    const keys = slots.map((slot) => bytesToHex(address) + bytesToHex(slot));
    const unknown = keys.filter((key) => this.#cache.slot(key) === undefined);
    await Promise.all(unknown.map((key) => this.#slots.fetch(key)));
  }
}

const ADDRESS_TEXT = 42;

function slotOfKey(key: string): { address: Address; slot: Hash } {
  return { address: hexToBytes(key.slice(0, ADDRESS_TEXT)), slot: hexToBytes(key.slice(ADDRESS_TEXT)) };
}
