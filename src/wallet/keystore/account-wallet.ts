import { type EcdsaSignature, sign } from "../../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { parseDerivationPath } from "../derivation-path.ts";
import { walletError } from "../errors.ts";
import type { Passphrase } from "../passphrase.ts";
import type { MessageSignature, SignableMessage } from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";
import type { Wallet, WalletAccount } from "../wallet.ts";
import { firstKey, signMessage, signWith } from "./key-choice.ts";
import type { PrivateKeys } from "./private-keys.ts";

/** Access to the keys of one account. */
export interface AccountKeys {
  isUnlocked(): boolean;
  /** Runs a function with the keys: the unlocked ones, or those decrypted with a passphrase for this call. @throws WalletError */
  use<T>(passphrase: Passphrase | undefined, run: (keys: PrivateKeys) => T): T | Promise<T>;
}

/** The wallet of one key file or account in memory; opening and closing it have no effect. */
export class AccountWallet implements Wallet {
  readonly url: string;
  readonly #account: WalletAccount;
  readonly #keys: AccountKeys;

  constructor(account: WalletAccount, keys: AccountKeys) {
    this.url = account.url;
    this.#account = account;
    this.#keys = keys;
  }

  async status(): Promise<{ readonly status: "Locked" | "Unlocked" }> {
    return { status: this.#keys.isUnlocked() ? "Unlocked" : "Locked" };
  }

  accounts(): readonly WalletAccount[] {
    return [this.#account];
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  /** @throws WalletError `DERIVATION_PATH`, else `NOT_SUPPORTED` */
  async derive(path: string): Promise<never> {
    parseDerivationPath(path);
    throw walletError("NOT_SUPPORTED");
  }

  async signHash(_: Address, hash: Hash, passphrase?: Passphrase): Promise<EcdsaSignature> {
    return this.#keys.use(passphrase, (keys) => sign(hash, firstKey(keys)));
  }

  signText(
    _: Address,
    message: SignableMessage,
    passphrase?: Passphrase,
  ): MessageSignature | Promise<MessageSignature> {
    return this.#keys.use(passphrase, (keys) => signMessage(keys, message));
  }

  async signTransaction(
    _: Address,
    request: TransactionRequest,
    passphrase?: Passphrase,
  ): Promise<readonly EcdsaSignature[]> {
    return this.#keys.use(passphrase, (keys) => signWith(keys, request));
  }
}
