import type { EcdsaSignature } from "../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../protocol/primitives/bytes.ts";

export interface WalletAccount {
  readonly address: Address;
  /** `keystore:///path`, `ledger://…` */
  readonly url: string;
}

/** Something that holds keys: one key file, one device, one remote signer. */
export interface Wallet {
  readonly url: string;
  /** `Locked`, `Unlocked`, or a device's own words. */
  status(): Promise<{ readonly status: string; readonly failure?: string }>;
  accounts(): readonly WalletAccount[];
  open(passphrase: string): Promise<void>;
  close(): Promise<void>;
  derive(path: string, pin: boolean): Promise<WalletAccount>;
  /** With `passphrase` the key is decrypted for this call only. */
  signHash(address: Address, hash: Hash, passphrase?: string): Promise<EcdsaSignature>;
}

/** All wallets of the node, and what only the key store can do. */
export interface WalletManager {
  wallets(): readonly Wallet[];
  /** @throws WalletError `protocol scheme missing`, `unknown wallet` */
  wallet(url: string): Wallet;
  /** In URL order. */
  accounts(): readonly WalletAccount[];
  has(address: Address): boolean;
  /** @throws WalletError `unknown account`, `authentication needed: password or unlock`, `could not decrypt key with given passphrase` */
  signHash(address: Address, hash: Hash, passphrase?: string): Promise<EcdsaSignature>;

  newAccount(passphrase: string): Promise<WalletAccount>;
  /** @param address when it differs from the key's own (decoupled account) */
  importKey(privateKey: Uint8Array, passphrase: string, address?: Address): Promise<WalletAccount>;
  replaceKey(
    privateKey: Uint8Array,
    address: Address,
    oldPassphrase: string,
    newPassphrase: string,
  ): Promise<WalletAccount>;
  /** @param seconds 0 = until exit */
  unlock(address: Address, passphrase: string, seconds: number): Promise<void>;
  lock(address: Address): boolean;
}
