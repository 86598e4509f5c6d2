import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { CallError } from "../errors.ts";

/** State override of an account for a call. */
export interface AccountOverride {
  readonly address: Address;
  readonly nonce?: bigint | undefined;
  readonly code?: Uint8Array | undefined;
  readonly balance?: bigint | undefined;
  /** Slots to override; 32 bytes each. */
  readonly stateDiff?: readonly { readonly slot: Hash; readonly value: Uint8Array }[] | undefined;
  /** The entire storage, replacing the existing one. */
  readonly state?: readonly { readonly slot: Hash; readonly value: Uint8Array }[] | undefined;
}

/**
 * Applies state overrides before a call. For the call, which starts a transaction of its own, they are committed values.
 * @throws CallError `CALL_OVERRIDE`
 */
export function applyOverrides(overrides: readonly AccountOverride[], state: StateJournal): void {
  for (const override of overrides) apply(override, state);
  state.endTransaction();
}

function apply(override: AccountOverride, state: StateJournal): void {
  const { address, nonce, code, balance, stateDiff } = override;
  if (override.state !== undefined && stateDiff !== undefined) {
    const text = `account ${checksumAddress(address)} has both 'state' and 'stateDiff'`;
    throw new CallError("CALL_OVERRIDE", text);
  }
  if (override.state !== undefined) clearStorage(address, state);
  if (nonce !== undefined) state.setNonce(address, nonce);
  if (code !== undefined) {
    if (!state.exists(address)) state.createContract(address);
    state.setCode(address, code, state.account(address)?.codeInfo ?? 0);
  }
  if (balance !== undefined) state.setBalance(address, balance);
  for (const { slot, value } of override.state ?? stateDiff ?? []) state.setStorage(address, slot, value);
}

/** Recreates the account with everything but its storage. */
function clearStorage(address: Address, state: StateJournal): void {
  const account = state.account(address);
  if (account === undefined) return;
  const code = state.code(address);
  if (account.type === "sca") state.createContract(address, account.codeInfo);
  else state.createEoa(address);
  state.setNonce(address, account.nonce);
  state.setKey(address, account.key);
  if (code.length > 0) state.setCode(address, code, account.codeInfo);
}
