import { parseDerivationPath } from "../derivation-path.ts";
import { walletError } from "../errors.ts";
import type { Wallet, WalletAccount } from "../wallet.ts";

/** What the wallet of one account asks of its key store. */
interface AccountWalletStore {
  isUnlocked(): boolean;
  readonly signHash: Wallet["signHash"];
}

/** The wallet of one key file or account in memory: opening and closing it changes nothing. */
export function createAccountWallet(account: WalletAccount, store: AccountWalletStore): Wallet {
  const accounts = [{ address: account.address, url: account.url }];
  return {
    url: account.url,
    status: async () => ({ status: store.isUnlocked() ? "Unlocked" : "Locked" }),
    accounts: () => accounts,
    open: async () => {},
    close: async () => {},
    async derive(path) {
      parseDerivationPath(path);
      throw walletError("NOT_SUPPORTED");
    },
    signHash: store.signHash,
  };
}
