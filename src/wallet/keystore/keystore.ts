// One class for one interface: every method works on the same index of files and unlocked keys.
import type { Clock, Randomness, Timers } from "../../platform/runtime/runtime.ts";
import { type Logger, silentLogger } from "../../platform/telemetry/logger.ts";
import {
  addressOfPublicKey,
  type EcdsaSignature,
  isPrivateKey,
  publicKeyOf,
  sign,
} from "../../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { walletError } from "../errors.ts";
import { Passphrase } from "../passphrase.ts";
import { checkPrivateKey } from "../raw-key.ts";
import type { MessageSignature, SignableMessage } from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";
import { findWallet } from "../url.ts";
import type { AccountRef, Keystore, TransactionSigner, Wallet, WalletAccount } from "../wallet.ts";
import { AccountWallet } from "./account-wallet.ts";
import { firstKey, signMessage, signWith } from "./key-choice.ts";
import { createKeyDeriver, type KeyDeriver } from "./key-derivation.ts";
import { newUuid } from "./key-file.ts";
import { KeyFileIndex } from "./key-file-index.ts";
import { createKeyFolder, type KeyFolder } from "./key-folder.ts";
import {
  encryptKeyFile,
  type KeyStorageParts,
  keyFileName,
  loadKeyFile,
  storeKeyFile,
} from "./key-storage.ts";
import { MemoryAccounts } from "./memory-accounts.ts";
import { decryptKeyFile, type PrivateKeys, wipe } from "./private-keys.ts";
import { LIGHT_COST, STANDARD_COST } from "./sealed-key.ts";
import { UnlockedKeys } from "./unlocked-keys.ts";

/** Maximum duration of an unlock, seconds: the limit of Go's `time.Duration`. */
const MAX_UNLOCK_SECONDS = 9_223_372_036;

/** Dependencies of a keystore; `folder` and `deriver` default to the real ones. */
export interface KeystoreOptions {
  /** Folder of the key files. */
  readonly dir: string;
  /** Cheap encryption of new files, for tests and development. */
  readonly light?: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly randomness: Randomness;
  readonly logger?: Logger;
  readonly folder?: KeyFolder;
  readonly deriver?: KeyDeriver;
}

/** Opens a keystore; its folder is read at the first use. */
export function createKeystore(options: KeystoreOptions): Keystore {
  return new FolderKeystore(options);
}

class FolderKeystore implements Keystore {
  readonly #storage: KeyStorageParts;
  readonly #index: KeyFileIndex;
  readonly #memory = new MemoryAccounts();
  readonly #unlocked: UnlockedKeys;
  /** Addresses whose file is being written, so that none is added twice. */
  readonly #importing = new Set<string>();
  /** Wallets by list of accounts, cached until that changes. */
  #wallets: { of: readonly WalletAccount[]; list: readonly Wallet[] } = { of: [], list: [] };

  constructor(options: KeystoreOptions) {
    const { dir, light, clock, timers, randomness, folder, deriver, logger = silentLogger } = options;
    this.#storage = {
      folder: folder ?? createKeyFolder(dir),
      cost: light ? LIGHT_COST : STANDARD_COST,
      deriver: deriver ?? createKeyDeriver(),
      clock,
      randomness,
    };
    this.#index = new KeyFileIndex(this.#storage.folder, { clock, timers, logger });
    this.#unlocked = new UnlockedKeys(timers, clock);
  }

  wallets(): readonly Wallet[] {
    const accounts = this.accounts();
    if (accounts !== this.#wallets.of) {
      this.#wallets = { of: accounts, list: accounts.map((account) => this.#walletOf(account)) };
    }
    return this.#wallets.list;
  }

  wallet(url: string): Wallet {
    return findWallet(this.wallets(), url);
  }

  /** Accounts in memory in the order of adding, so that those of a development chain come first; then files by URL. */
  accounts(): readonly WalletAccount[] {
    const files = this.#index.files();
    if (files.length === 0) return this.#memory.accounts();
    const memory = this.#memory.accounts().filter(({ address }) => this.#index.filesOf(address).length === 0);
    return memory.length === 0 ? files : [...memory, ...files];
  }

  has(address: Address): boolean {
    return this.#memory.has(address) || this.#index.filesOf(address).length > 0;
  }

  isUnlocked(address: Address): boolean {
    return this.#unlocked.has(address);
  }

  unlockedMs(address: Address): number {
    return this.#unlocked.remainingMs(address);
  }

  async signHash(address: Address, hash: Hash, passphrase?: Passphrase): Promise<EcdsaSignature> {
    return this.#use(address, passphrase, (keys) => sign(hash, firstKey(keys)));
  }

  signText(
    address: Address,
    message: SignableMessage,
    passphrase?: Passphrase,
  ): MessageSignature | Promise<MessageSignature> {
    return this.#use(address, passphrase, (keys) => signMessage(keys, message));
  }

  async signTransaction(
    address: Address,
    request: TransactionRequest,
    passphrase?: Passphrase,
  ): Promise<readonly EcdsaSignature[]> {
    return this.#use(address, passphrase, (keys) => signWith(keys, request));
  }

  async signer(address: Address, passphrase: Passphrase): Promise<TransactionSigner> {
    if (!this.has(address)) throw walletError("UNKNOWN_ACCOUNT");
    const keys = await this.#decrypt(address, passphrase);
    return { signTransaction: async (request) => signWith(keys, request), forget: () => wipe(keys) };
  }

  async newAccount(passphrase: Passphrase): Promise<WalletAccount> {
    let privateKey = this.#storage.randomness.bytes(32);
    while (!isPrivateKey(privateKey)) privateKey = this.#storage.randomness.bytes(32);
    try {
      return await this.importKey(privateKey, passphrase);
    } finally {
      privateKey.fill(0);
    }
  }

  importKey(privateKey: Uint8Array, passphrase: Passphrase, address?: Address): Promise<WalletAccount> {
    checkPrivateKey(privateKey);
    return this.#add(this.#keysOf(privateKey, address), passphrase);
  }

  async importKeyFile(
    text: string,
    passphrase: Passphrase,
    newPassphrase: Passphrase,
  ): Promise<WalletAccount> {
    const keys = await decryptKeyFile(text, passphrase, this.#storage.deriver);
    try {
      return await this.#add(keys, newPassphrase);
    } finally {
      wipe(keys);
    }
  }

  async replaceKey(
    privateKey: Uint8Array,
    address: Address,
    oldPassphrase: Passphrase,
    newPassphrase: Passphrase,
  ): Promise<WalletAccount> {
    checkPrivateKey(privateKey);
    this.lock(address);
    return this.#withKeys(address, oldPassphrase, async () => {
      if (this.#isMemoryOnly(address)) return this.#memory.set(privateKey, newPassphrase, address);
      const file = this.#index.find(address);
      await this.#store(file.name, this.#keysOf(privateKey, address), newPassphrase);
      this.lock(address); // the old key may have been unlocked again meanwhile
      return file;
    });
  }

  async changePassphrase(
    account: AccountRef,
    oldPassphrase: Passphrase,
    newPassphrase: Passphrase,
  ): Promise<void> {
    await this.#withKeys(account, oldPassphrase, async (keys) => {
      if (this.#isMemoryOnly(keys.address)) this.#memory.set(firstKey(keys), newPassphrase, keys.address);
      else await this.#store(this.#index.find(account).name, keys, newPassphrase);
    });
  }

  exportKeyFile(
    account: AccountRef,
    passphrase: Passphrase,
    newPassphrase: Passphrase,
    version?: 3 | 4,
  ): Promise<string> {
    return this.#withKeys(account, passphrase, (keys) =>
      encryptKeyFile(keys, newPassphrase, this.#storage, version),
    );
  }

  async deleteAccount(account: AccountRef, passphrase: Passphrase): Promise<void> {
    await this.#withKeys(account, passphrase, async ({ address }) => {
      this.lock(address);
      if (this.#isMemoryOnly(address)) return this.#memory.delete(address);
      const { name } = this.#index.find(account);
      await this.#storage.folder.remove(name);
      this.#index.update(name);
    });
  }

  addUnlocked(privateKey: Uint8Array, passphrase = new Passphrase("")): WalletAccount {
    const account = this.#memory.set(privateKey, passphrase);
    this.#unlocked.unlock(this.#memory.keys(account.address, passphrase), 0);
    return account;
  }

  async unlock(account: AccountRef, passphrase: Passphrase, seconds: number): Promise<void> {
    if (seconds > MAX_UNLOCK_SECONDS) throw walletError("UNLOCK_TOO_LONG");
    this.#unlocked.unlock(await this.#decrypt(account, passphrase), seconds);
  }

  lock(address: Address): boolean {
    this.#unlocked.lock(address);
    return true;
  }

  async close(): Promise<void> {
    this.#index.close();
    this.#unlocked.clear();
    this.#memory.clear();
  }

  #walletOf(account: WalletAccount): Wallet {
    return new AccountWallet(account, {
      isUnlocked: () => this.isUnlocked(account.address),
      use: (passphrase, run) => this.#use(account, passphrase, run),
    });
  }

  /** Runs a function with the unlocked keys, or with keys that are decrypted for this call only. */
  #use<T>(
    account: AccountRef,
    passphrase: Passphrase | undefined,
    run: (keys: PrivateKeys) => T,
  ): T | Promise<T> {
    const address = addressOf(account);
    if (!this.has(address)) throw walletError("UNKNOWN_ACCOUNT");
    if (passphrase !== undefined) return this.#withKeys(account, passphrase, async (keys) => run(keys));
    const keys = this.#unlocked.get(address);
    if (keys === undefined) throw walletError("LOCKED");
    return run(keys);
  }

  /** Runs a task with decrypted keys, which are wiped afterwards. */
  async #withKeys<T>(
    account: AccountRef,
    passphrase: Passphrase,
    task: (keys: PrivateKeys) => Promise<T>,
  ): Promise<T> {
    const keys = await this.#decrypt(account, passphrase);
    try {
      return await task(keys);
    } finally {
      wipe(keys);
    }
  }

  async #decrypt(account: AccountRef, passphrase: Passphrase): Promise<PrivateKeys> {
    const address = addressOf(account);
    if (this.#isMemoryOnly(address)) return this.#memory.keys(address, passphrase);
    return loadKeyFile(this.#index.find(account), passphrase, this.#storage);
  }

  async #add(keys: PrivateKeys, passphrase: Passphrase): Promise<WalletAccount> {
    const id = bytesToHex(keys.address);
    if (this.#importing.has(id) || this.#index.filesOf(keys.address).length > 0)
      throw walletError("ACCOUNT_EXISTS");
    this.#importing.add(id);
    try {
      await this.#store(keyFileName(keys.address, this.#storage.clock), keys, passphrase);
      return this.#index.find(keys.address);
    } finally {
      this.#importing.delete(id);
    }
  }

  async #store(name: string, keys: PrivateKeys, passphrase: Passphrase): Promise<void> {
    await storeKeyFile(name, keys, passphrase, this.#storage);
    this.#index.update(name);
  }

  #keysOf(privateKey: Uint8Array, address?: Address): PrivateKeys {
    return {
      address: address ?? addressOfPublicKey(publicKeyOf(privateKey)),
      id: newUuid(this.#storage.randomness),
      keyring: [[privateKey]],
    };
  }

  /** A key file takes precedence over an account in memory. */
  #isMemoryOnly(address: Address): boolean {
    return this.#memory.has(address) && this.#index.filesOf(address).length === 0;
  }
}

function addressOf(account: AccountRef): Address {
  return account instanceof Uint8Array ? account : account.address;
}
