import { type Account, hasStorage, newEoa } from "../../protocol/account/account.ts";
import { FAIL_KEY } from "../../protocol/account/key.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { type Address, concat, EMPTY_BYTES, type Hash } from "../../protocol/primitives/bytes.ts";
import { MAX_UINT64 } from "../../protocol/primitives/integers.ts";
import { StateError } from "../state/errors.ts";
import type { AccountRecord, SlotRecord, StateReader, StateView } from "../state/state.ts";
import type { RemoteState } from "./remote-state.ts";

/** Placeholder for a storage root that the remote node does not provide. */
export const REMOTE_ROOT: Hash = keccak256(new TextEncoder().encode("kairn: storage of a forked chain"));

/** Tombstone value of a slot set to zero locally, hiding the remote one; longer than any word. */
export const ZEROED: Uint8Array = new Uint8Array(33);

/** Tombstone account: if present at `shadowOf` an address, the remote account there is hidden with all its storage. */
export const SHADOW: Account = { ...newEoa(), nonce: MAX_UINT64, key: FAIL_KEY };

const SHADOW_PREFIX = new TextEncoder().encode("kairn: shadow of ");

/** Address of an account's tombstone. */
export function shadowOf(address: Address): Address {
  return keccak256(concat(SHADOW_PREFIX, address)).slice(12);
}

/** Whether the remote account at an address is hidden, so that only the local one counts. */
export function isDetached(own: StateReader, address: Address): boolean {
  return own.account(shadowOf(address)) !== undefined;
}

/** A state layered over that of a remote chain: local changes, else remote values. */
export class ForkedView implements StateView {
  readonly #own: StateView;
  readonly #remote: RemoteState;

  constructor(own: StateView, remote: RemoteState) {
    this.#own = own;
    this.#remote = remote;
  }

  /** State root of the local part alone. */
  get root(): Hash {
    return this.#own.root;
  }

  account(address: Address): Account | undefined {
    const own = this.#own.account(address);
    if (own === undefined) return isDetached(this.#own, address) ? undefined : this.#remote.account(address);
    if (hasStorage(own)) return own;
    const there = this.#remote.account(address);
    if (there === undefined || !hasStorage(there) || isDetached(this.#own, address)) return own;
    return { ...own, storageRoot: there.storageRoot };
  }

  storage(address: Address, slot: Hash): Uint8Array {
    const own = this.#own.storage(address, slot);
    if (own.length === ZEROED.length) return EMPTY_BYTES;
    if (own.length > 0 || isDetached(this.#own, address)) return own;
    return this.#remote.storage(address, slot);
  }

  code(codeHash: Hash): Uint8Array {
    return this.#remote.knownCode(codeHash) ?? this.#own.code(codeHash);
  }

  /** Only accounts changed locally. */
  *accounts(from?: Hash): Generator<AccountRecord> {
    for (const record of this.#own.accounts(from)) if (!isShadow(record.account)) yield record;
  }

  /** Only slots changed locally. */
  *slots(address: Address, from?: Hash): Generator<SlotRecord> {
    for (const record of this.#own.slots(address, from))
      yield record.value.length === ZEROED.length ? { ...record, value: EMPTY_BYTES } : record;
  }

  /** @throws StateError `STATE_PRUNED`: the tries of the forked chain are not here */
  proveAccount(): never {
    throw noProofs();
  }

  /** @throws StateError `STATE_PRUNED`: the tries of the forked chain are not here */
  proveStorage(): never {
    throw noProofs();
  }

  /** @throws StateError `STATE_PRUNED`: the tries of the forked chain are not here */
  node(): never {
    throw noProofs();
  }
}

function isShadow(account: Account): boolean {
  return account.nonce === SHADOW.nonce && account.key.type === "fail" && account.type === "eoa";
}

function noProofs(): StateError {
  const text = "there are no proofs for blocks of a forked chain: their state roots cover only local changes";
  return new StateError("STATE_PRUNED", text);
}
