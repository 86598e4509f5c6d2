import { decodeAccountKey } from "../../../../protocol/account/key-codec.ts";
import { accountKeyFromJson } from "../../../../protocol/account/key-json.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { anvilAccounts, devAccounts, evmAccounts, kairnAccounts } from "../../spec/dev/accounts.ts";
import type { Done } from "../../spec/dev/values.ts";
import type { Handlers } from "../../spec/method.ts";
import type { AccountControls, FeePayerControls } from "./dev-controls.ts";

/** Setters of balance, code, nonce and storage, under the names of one namespace. */
function setters(accounts: AccountControls, done: Done) {
  const after = async (change: Promise<void>): Promise<Done> => {
    await change;
    return done;
  };
  return {
    balance: ({ address, balance }: { address: Uint8Array; balance: bigint }) =>
      after(accounts.setBalance(address, balance)),
    code: ({ address, code }: { address: Uint8Array; code: Uint8Array }) =>
      after(accounts.setCode(address, code)),
    nonce: ({ address, nonce }: { address: Uint8Array; nonce: bigint }) =>
      after(accounts.setNonce(address, nonce)),
    async storageAt({ address, slot, value }: { address: Uint8Array; slot: Uint8Array; value: Uint8Array }) {
      await accounts.setStorage(address, slot, value);
      return true;
    },
  };
}

/** Handlers of the account methods that anvil and hardhat share. @param done - what setters return */
export function devAccountHandlers(accounts: AccountControls, done: Done): Handlers<typeof devAccounts> {
  const set = setters(accounts, done);
  return {
    setBalance: set.balance,
    setCode: set.code,
    setNonce: set.nonce,
    setStorageAt: set.storageAt,
    impersonateAccount({ address }) {
      accounts.impersonate(address);
      return done;
    },
    stopImpersonatingAccount({ address }) {
      const wasImpersonated = accounts.stopImpersonating(address);
      return done && wasImpersonated;
    },
    autoImpersonateAccount({ enabled }) {
      accounts.impersonateAll(enabled);
      return done;
    },
  };
}

/** Methods that only anvil has. */
export function anvilAccountHandlers(accounts: AccountControls): Handlers<typeof anvilAccounts> {
  return {
    async addBalance({ address, balance }) {
      await accounts.addBalance(address, balance);
      return null;
    },
  };
}

/** Ganache's names. */
export function evmAccountHandlers(accounts: AccountControls): Handlers<typeof evmAccounts> {
  const set = setters(accounts, true);
  return {
    setAccountBalance: set.balance,
    setAccountCode: set.code,
    setAccountNonce: set.nonce,
    setAccountStorageAt: set.storageAt,
  };
}

/** Methods that only Kaia chains have. */
export function kairnAccountHandlers(
  accounts: AccountControls,
  feePayer: FeePayerControls,
): Handlers<typeof kairnAccounts> {
  return {
    async setAccountKey({ address, key }): Promise<Done> {
      const decoded = typeof key === "string" ? decodeAccountKey(hexToBytes(key)) : accountKeyFromJson(key);
      await accounts.setKey(address, decoded);
      return true;
    },
    setAutoFeePayer({ address }) {
      feePayer.account = address;
      return true;
    },
    getAutoFeePayer: () => feePayer.account ?? null,
  };
}
