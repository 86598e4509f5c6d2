import type { EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { parseDerivationPath } from "../derivation-path.ts";
import { walletError } from "../errors.ts";
import type { Message } from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";
import type { Keystore, Wallet, WalletAccount } from "../wallet.ts";

type Store = Pick<Keystore, "isUnlocked" | "signHash" | "signText" | "signTransaction">;

/** The wallet of one key file or account in memory: opening and closing it changes nothing. */
export class AccountWallet implements Wallet {
  readonly url: string;
  readonly #account: WalletAccount;
  readonly #store: Store;

  constructor(account: WalletAccount, store: Store) {
    this.url = account.url;
    this.#account = account;
    this.#store = store;
  }

  async status(): Promise<{ readonly status: "Locked" | "Unlocked" }> {
    return { status: this.#store.isUnlocked(this.#account.address) ? "Unlocked" : "Locked" };
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

  signHash(address: Address, hash: Hash, passphrase?: string): Promise<EcdsaSignature> {
    return this.#store.signHash(address, hash, passphrase);
  }

  signText(address: Address, message: Message, passphrase?: string): Promise<EcdsaSignature> {
    return this.#store.signText(address, message, passphrase);
  }

  signTransaction(
    address: Address,
    request: TransactionRequest,
    passphrase?: string,
  ): Promise<readonly EcdsaSignature[]> {
    return this.#store.signTransaction(address, request, passphrase);
  }
}
