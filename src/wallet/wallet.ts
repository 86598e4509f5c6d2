import type { EcdsaSignature } from "../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../protocol/primitives/bytes.ts";
import type { Passphrase } from "./passphrase.ts";
import type { MessageSignature, SignableMessage } from "./signed-message.ts";
import type { TransactionRequest } from "./transaction-request.ts";

/** An account of a wallet, and the location of its key. */
export interface WalletAccount {
  readonly address: Address;
  /** `keystore:///path`, `ledger://…` */
  readonly url: string;
}

/** An account by its address, or also by its URL, which distinguishes key files of the same address. */
export type AccountRef = Address | WalletAccount;

/** A wallet: one key file, one device, or one remote signer. */
export interface Wallet {
  readonly url: string;
  /** `Locked`, `Unlocked`, or the status text of a device. */
  status(): Promise<{ readonly status: string; readonly failure?: string }>;
  accounts(): readonly WalletAccount[];
  open(secret: string): Promise<void>;
  close(): Promise<void>;
  derive(path: string, pin: boolean): Promise<WalletAccount>;
  /** With `passphrase` the key is decrypted for this call only. */
  signHash(address: Address, hash: Hash, passphrase?: Passphrase): Promise<EcdsaSignature>;
  /**
   * Signs a prefixed message; synchronously if the key is unlocked.
   * @throws WalletError `CANNOT_SIGN` when the wallet does not support the prefix
   */
  signText(
    address: Address,
    message: SignableMessage,
    passphrase?: Passphrase,
  ): MessageSignature | Promise<MessageSignature>;
  /**
   * Signs a transaction with all keys of the account for this role, in order; nearly always a single one.
   * @throws WalletError `CANNOT_SIGN` for types and roles that this wallet does not support
   */
  signTransaction(
    address: Address,
    request: TransactionRequest,
    passphrase?: Passphrase,
  ): Promise<readonly EcdsaSignature[]>;
}

/** A source of wallets: the keystore, the devices of one vendor, a remote signer. */
export interface WalletBackend {
  /** In URL order. */
  wallets(): readonly Wallet[];
  /** Wipes all secrets and releases watchers and devices. */
  close(): Promise<void>;
}

/** Decrypted keys of an account that sign until they are wiped. */
export interface TransactionSigner {
  signTransaction(request: TransactionRequest): Promise<readonly EcdsaSignature[]>;
  /** Wipes the decrypted keys. */
  forget(): void;
}

/** All wallets of the node, and operations that only the keystore supports. */
export interface WalletManager extends WalletBackend {
  /** @throws WalletError `protocol scheme missing`, `unknown wallet` */
  wallet(url: string): Wallet;
  /** In URL order. */
  accounts(): readonly WalletAccount[];
  has(address: Address): boolean;
  /** @throws WalletError `unknown account`, `authentication needed: password or unlock`, `could not decrypt key with given passphrase` */
  signHash(address: Address, hash: Hash, passphrase?: Passphrase): Promise<EcdsaSignature>;

  /** As `Wallet.signText`. @throws WalletError as `signHash` */
  signText: Wallet["signText"];
  /** As `Wallet.signTransaction`. @throws WalletError as `signHash` */
  signTransaction: Wallet["signTransaction"];

  /**
   * Decrypts the keys of an account until the caller wipes them.
   * @throws WalletError as `signHash`
   */
  signer(address: Address, passphrase: Passphrase): Promise<TransactionSigner>;

  newAccount(passphrase: Passphrase): Promise<WalletAccount>;
  /** @param address - if it differs from the key's own (decoupled account) */
  importKey(privateKey: Uint8Array, passphrase: Passphrase, address?: Address): Promise<WalletAccount>;
  replaceKey(
    privateKey: Uint8Array,
    address: Address,
    oldPassphrase: Passphrase,
    newPassphrase: Passphrase,
  ): Promise<WalletAccount>;
  /** @param seconds - 0 = until exit */
  unlock(account: AccountRef, passphrase: Passphrase, seconds: number): Promise<void>;
  /** Wipes a decrypted key. @returns true, even if there was none, as in the reference node */
  lock(address: Address): boolean;
}

/**
 * The keystore, with what the `account` commands and `kairn dev` need beyond the RPC methods.
 *
 * @example
 * await using node = await createNode();
 * const { address } = node.wallets.addUnlocked(privateKey);
 * const { r, s, parity } = await node.wallets.signHash(address, hash);
 */
export interface Keystore extends WalletManager {
  isUnlocked(address: Address): boolean;
  /** Milliseconds for which an account stays unlocked: Infinity = until exit, 0 = it is locked. */
  unlockedMs(address: Address): number;
  /**
   * Adds an unlocked account that exists in memory only. Its URL is `memory://0x…`. A key file of the same address
   * takes precedence.
   * @param privateKey - copied
   * @param passphrase - needed after `lock`
   */
  addUnlocked(privateKey: Uint8Array, passphrase?: Passphrase): WalletAccount;
  /** Re-encrypts the keys of a file; version 3 becomes version 4, the name stays. */
  changePassphrase(account: AccountRef, oldPassphrase: Passphrase, newPassphrase: Passphrase): Promise<void>;
  /** Adds the keys of a key file (version 1, 3 or 4). @throws WalletError `account already exists` */
  importKeyFile(text: string, passphrase: Passphrase, newPassphrase: Passphrase): Promise<WalletAccount>;
  /**
   * The text of a key file, re-encrypted with another passphrase.
   * @param version - 4 by default; 3, which holds a single key, for wallets that support no other
   */
  exportKeyFile(
    account: AccountRef,
    passphrase: Passphrase,
    newPassphrase: Passphrase,
    version?: 3 | 4,
  ): Promise<string>;
  /** Removes the key file of an account, which needs its passphrase. */
  deleteAccount(account: AccountRef, passphrase: Passphrase): Promise<void>;
}
