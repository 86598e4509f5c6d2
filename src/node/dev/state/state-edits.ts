import type { StateJournal } from "../../../ledger/state/journal/journal-types.ts";
import type { SlotChange } from "../../../ledger/state/state.ts";
import { CODE_INFO_ISTANBUL } from "../../../protocol/account/account.ts";
import { delegationTarget } from "../../../protocol/account/delegation.ts";
import { AccountKeyError } from "../../../protocol/account/errors.ts";
import type { AccountKey } from "../../../protocol/account/key.ts";
import { checkInstallable } from "../../../protocol/account/key-rules.ts";
import type { Address, Hash } from "../../../protocol/primitives/bytes.ts";
import { DevError } from "../errors.ts";

/** Edits of a state, made in one amendment. */
export type StateEdit = (state: StateJournal) => void;

/** Sets balance, in kei, and nonce of an account at once; one left empty is deleted. */
export function setBalanceAndNonce(address: Address, balance: bigint, nonce: bigint): StateEdit {
  return (state) => {
    state.setBalance(address, balance);
    state.setNonce(address, nonce);
    state.endTransaction();
  };
}

/** Sets the balance of an account in kei; an account left empty is deleted. */
export function setBalance(address: Address, balance: bigint): StateEdit {
  return (state) => {
    state.setBalance(address, balance);
    state.endTransaction();
  };
}

/** Adds to the balance of an account. */
export function addBalance(address: Address, amount: bigint): StateEdit {
  return (state) => state.addBalance(address, amount);
}

/** Sets the nonce of an account, possibly to a lower one. */
export function setNonce(address: Address, nonce: bigint): StateEdit {
  return (state) => {
    state.setNonce(address, nonce);
    state.endTransaction();
  };
}

/**
 * Sets the code of an account. An external account becomes a contract and keeps balance and nonce, unless the code is
 * an EIP-7702 delegation or empty; a contract stays one.
 */
export function setCode(address: Address, code: Uint8Array): StateEdit {
  return (state) => {
    const isDelegation = code.length === 0 || delegationTarget(code) !== undefined;
    if (!isDelegation && state.account(address)?.type !== "sca") {
      const nonce = state.nonce(address);
      state.createContract(address);
      state.setNonce(address, nonce);
    }
    state.setCode(address, code, CODE_INFO_ISTANBUL);
  };
}

/** Sets a storage slot to a value of 32 bytes; an account that does not exist becomes a contract without code. */
export function setStorage(address: Address, slot: Hash, value: Hash): StateEdit {
  return (state) => state.setStorage(address, slot, value);
}

/** As `setStorage`, of several slots. */
export function setSlots(address: Address, slots: Iterable<SlotChange>): StateEdit {
  return (state) => {
    for (const { slot, value } of slots) state.setStorage(address, slot, value);
  };
}

/**
 * Sets the key of an external account, whatever key it had.
 * @throws DevError `ACCOUNT_KEY` for a contract, or a key that no account can have
 */
export function setKey(address: Address, key: AccountKey): StateEdit {
  return (state) => {
    if (state.account(address)?.type === "sca")
      throw new DevError("ACCOUNT_KEY", "a contract account cannot have a key");
    try {
      checkInstallable(key);
    } catch (cause) {
      if (!(cause instanceof AccountKeyError)) throw cause;
      throw new DevError("ACCOUNT_KEY", `invalid account key: ${cause.message}`, {}, { cause });
    }
    state.setKey(address, key);
  };
}
