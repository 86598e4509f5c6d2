import type { EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { impersonationSignature } from "../../protocol/transaction/impersonation.ts";
import type { HashSigner, WalletManager } from "../../wallet/wallet.ts";
import type { Impersonation } from "./impersonation.ts";

/**
 * The wallets of a development node as its RPC methods see them: for impersonated accounts they give signatures that only
 * this chain takes; all else is up to the real ones.
 */
export function impersonatingWallets(wallets: WalletManager, impersonation: Impersonation): WalletManager {
  return {
    async signHash(address: Address, hash: Hash, passphrase?: string): Promise<EcdsaSignature> {
      if (impersonation.covers(address, wallets.has(address))) return impersonationSignature(address);
      return wallets.signHash(address, hash, passphrase);
    },
    async signer(address: Address, passphrase: string): Promise<HashSigner> {
      if (impersonation.covers(address, wallets.has(address)))
        return { sign: async () => impersonationSignature(address), forget: () => undefined };
      return wallets.signer(address, passphrase);
    },
    wallets: () => wallets.wallets(),
    wallet: (url) => wallets.wallet(url),
    accounts: () => wallets.accounts(),
    has: (address) => wallets.has(address),
    newAccount: (passphrase) => wallets.newAccount(passphrase),
    importKey: (privateKey, passphrase, address) => wallets.importKey(privateKey, passphrase, address),
    replaceKey: (privateKey, address, old, next) => wallets.replaceKey(privateKey, address, old, next),
    unlock: (address, passphrase, seconds) => wallets.unlock(address, passphrase, seconds),
    lock: (address) => wallets.lock(address),
    close: () => wallets.close(),
  };
}
