import { addressOfPrivateKey } from "../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { walletError } from "../errors.ts";
import type { Passphrase } from "../passphrase.ts";
import { checkPrivateKey } from "../raw-key.ts";
import type { WalletAccount } from "../wallet.ts";
import type { PrivateKeys } from "./private-keys.ts";

interface MemoryAccount {
  readonly account: WalletAccount;
  readonly privateKey: Uint8Array;
  readonly passphrase: Passphrase;
}

/** Accounts without a file: the predefined ones of a development chain. */
export class MemoryAccounts {
  readonly #accounts = new Map<string, MemoryAccount>();
  /** Cached until an account is added or removed. */
  #list: readonly WalletAccount[] | undefined;

  /** The same list until it changes. */
  accounts(): readonly WalletAccount[] {
    this.#list ??= [...this.#accounts.values()].map(({ account }) => account);
    return this.#list;
  }

  has(address: Address): boolean {
    return this.#accounts.has(bytesToHex(address));
  }

  /**
   * Adds an account or replaces its key.
   * @param address - that of the key by default
   * @param passphrase - copied
   * @throws WalletError `KEY_TEXT` when the key is not valid
   */
  set(privateKey: Uint8Array, passphrase: Passphrase, address?: Address): WalletAccount {
    checkPrivateKey(privateKey);
    const owner = address ?? addressOfPrivateKey(privateKey);
    const id = bytesToHex(owner);
    this.#wipe(id);
    const account = { address: owner, url: `memory://${id}` };
    this.#list = undefined;
    this.#accounts.set(id, { account, privateKey: privateKey.slice(), passphrase: passphrase.copy() });
    return account;
  }

  /** A copy of the keys of an account. @throws WalletError `NO_KEY`, `WRONG_PASSPHRASE` */
  keys(address: Address, passphrase: Passphrase): PrivateKeys {
    const found = this.#accounts.get(bytesToHex(address));
    if (found === undefined) throw walletError("NO_KEY");
    if (!found.passphrase.equals(passphrase)) throw walletError("WRONG_PASSPHRASE");
    return { address, id: "", keyring: [[found.privateKey.slice()]] };
  }

  delete(address: Address): void {
    const id = bytesToHex(address);
    this.#wipe(id);
    this.#list = undefined;
    this.#accounts.delete(id);
  }

  clear(): void {
    for (const { account } of this.#accounts.values()) this.delete(account.address);
  }

  #wipe(id: string): void {
    const known = this.#accounts.get(id);
    known?.privateKey.fill(0);
    known?.passphrase.wipe();
  }
}
