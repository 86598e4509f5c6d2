import type { AccountControls } from "../../../api/rpc/handlers/dev/dev-controls.ts";
import type { AccountKey } from "../../../protocol/account/key.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { DevState } from "../state/dev-state.ts";
import { addBalance, setBalance, setCode, setKey, setNonce, setStorage } from "../state/state-edits.ts";
import type { Impersonation } from "./impersonation.ts";

/** Accounts of a development chain: their state, and which may send without a key. */
export class DevAccounts implements AccountControls {
  readonly #state: DevState;
  readonly #impersonation: Impersonation;

  constructor(state: DevState, impersonation: Impersonation) {
    this.#state = state;
    this.#impersonation = impersonation;
  }

  setBalance(address: Address, balance: bigint): Promise<void> {
    return this.#state.edit(setBalance(address, balance));
  }

  addBalance(address: Address, amount: bigint): Promise<void> {
    return this.#state.edit(addBalance(address, amount));
  }

  setNonce(address: Address, nonce: bigint): Promise<void> {
    return this.#state.edit(setNonce(address, nonce));
  }

  setCode(address: Address, code: Uint8Array): Promise<void> {
    return this.#state.edit(setCode(address, code));
  }

  setStorage(address: Address, slot: Hash, value: Hash): Promise<void> {
    return this.#state.edit(setStorage(address, slot, value));
  }

  setKey(address: Address, key: AccountKey): Promise<void> {
    return this.#state.edit(setKey(address, key));
  }

  impersonate(address: Address): void {
    this.#impersonation.start(address);
  }

  stopImpersonating(address: Address): boolean {
    return this.#impersonation.stop(address);
  }

  impersonateAll(enabled: boolean): void {
    this.#impersonation.isAutomatic = enabled;
  }

  impersonateDuring<T>(address: Address, work: () => Promise<T>): Promise<T> {
    return this.#impersonation.during(address, work);
  }
}
