import type { Address } from "../protocol/primitives/bytes.ts";
import { equalBytes } from "../protocol/primitives/bytes.ts";
import { walletError } from "./errors.ts";
import { byUrl, findWallet } from "./url.ts";
import type { Keystore, Wallet, WalletBackend } from "./wallet.ts";

/**
 * Combines all wallets of a node: the keystore and further backends (devices, remote signers). Accounts of the keystore
 * come first, so that those of a development chain keep their positions, and are signed for by it; any other account is
 * signed for by the first wallet, by URL, that lists it.
 */
export function combineWallets(keystore: Keystore, backends: readonly WalletBackend[]): Keystore {
  const others = (): readonly Wallet[] => backends.flatMap((backend) => backend.wallets()).sort(byUrl);
  const walletWith = (address: Address): Wallet | undefined =>
    others().find((wallet) => wallet.accounts().some((account) => equalBytes(account.address, address)));
  const walletOf = (address: Address): Wallet => {
    const wallet = walletWith(address);
    if (wallet === undefined) throw walletError("UNKNOWN_ACCOUNT");
    return wallet;
  };
  const signingWallet = (address: Address) => (keystore.has(address) ? keystore : walletOf(address));
  const wallets = (): readonly Wallet[] => [...keystore.wallets(), ...others()].sort(byUrl);
  return {
    wallets,
    wallet: (url) => findWallet(wallets(), url),
    accounts: () => [...keystore.accounts(), ...others().flatMap((wallet) => wallet.accounts())],
    has: (address) => keystore.has(address) || walletWith(address) !== undefined,
    signHash: async (address, hash, passphrase) => signingWallet(address).signHash(address, hash, passphrase),
    signText: (address, message, passphrase) => signingWallet(address).signText(address, message, passphrase),
    signTransaction: async (address, request, passphrase) =>
      signingWallet(address).signTransaction(address, request, passphrase),
    async signer(address, passphrase) {
      if (keystore.has(address)) return keystore.signer(address, passphrase);
      const wallet = walletOf(address);
      return {
        signTransaction: (request) => wallet.signTransaction(address, request, passphrase),
        forget: () => undefined,
      };
    },
    async close() {
      await Promise.all([keystore, ...backends].map((backend) => backend.close()));
    },
    unlockedMs: (address) => keystore.unlockedMs(address),
    isUnlocked: (address) => keystore.isUnlocked(address),
    newAccount: (passphrase) => keystore.newAccount(passphrase),
    importKey: (privateKey, passphrase, address) => keystore.importKey(privateKey, passphrase, address),
    importKeyFile: (text, passphrase, next) => keystore.importKeyFile(text, passphrase, next),
    exportKeyFile: (account, passphrase, next, version) =>
      keystore.exportKeyFile(account, passphrase, next, version),
    replaceKey: (privateKey, address, old, next) => keystore.replaceKey(privateKey, address, old, next),
    changePassphrase: (account, old, next) => keystore.changePassphrase(account, old, next),
    deleteAccount: (account, passphrase) => keystore.deleteAccount(account, passphrase),
    addUnlocked: (privateKey, passphrase) => keystore.addUnlocked(privateKey, passphrase),
    unlock: (account, passphrase, seconds) => keystore.unlock(account, passphrase, seconds),
    lock: (address) => keystore.lock(address),
  };
}
