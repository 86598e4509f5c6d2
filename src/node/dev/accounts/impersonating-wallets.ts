import type { Address } from "../../../protocol/primitives/bytes.ts";
import { impersonationSignature } from "../../../protocol/transaction/signatures/impersonation.ts";
import { messageSignature } from "../../../wallet/signed-message.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { Impersonation } from "./impersonation.ts";

/**
 * The wallets of a development node as its RPC methods see them: for impersonated accounts they return signatures that
 * only this chain accepts; everything else is left to the real ones. Messages of an account whose key the node holds
 * are signed with that key, impersonated or not: contracts verify them.
 */
export function impersonatingWallets(wallets: WalletManager, impersonation: Impersonation): WalletManager {
  const covers = (address: Address): boolean => impersonation.covers(address, () => wallets.has(address));
  const coversMessages = (address: Address): boolean => !wallets.has(address) && covers(address);
  return {
    async signHash(address, hash, passphrase) {
      if (coversMessages(address)) return impersonationSignature(address);
      return wallets.signHash(address, hash, passphrase);
    },
    signText(address, message, passphrase) {
      if (coversMessages(address)) return messageSignature(impersonationSignature(address));
      return wallets.signText(address, message, passphrase);
    },
    async signTransaction(address, request, passphrase) {
      if (covers(address)) return [impersonationSignature(address)];
      return wallets.signTransaction(address, request, passphrase);
    },
    async signer(address, passphrase) {
      if (covers(address))
        return { signTransaction: async () => [impersonationSignature(address)], forget: () => undefined };
      return wallets.signer(address, passphrase);
    },
    wallets: () => wallets.wallets(),
    wallet: (url) => wallets.wallet(url),
    accounts: () => wallets.accounts(),
    has: (address) => wallets.has(address),
    newAccount: (passphrase) => wallets.newAccount(passphrase),
    importKey: (privateKey, passphrase, address) => wallets.importKey(privateKey, passphrase, address),
    replaceKey: (privateKey, address, old, next) => wallets.replaceKey(privateKey, address, old, next),
    unlock: (account, passphrase, seconds) => wallets.unlock(account, passphrase, seconds),
    lock: (address) => wallets.lock(address),
    close: () => wallets.close(),
  };
}
