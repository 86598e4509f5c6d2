import { address, bytes, hash, message } from "../../../../protocol/codec/json/hex.ts";
import { list, nothing, wire } from "../../../../protocol/codec/json/object.ts";
import {
  boolean,
  newPassphrase,
  passphrase,
  privateKey,
  string,
  uint64,
} from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { UNKNOWN_ACCOUNT, WRONG_PASSPHRASE } from "../declared-errors.ts";
import { method } from "../method.ts";
import { accountUpdateArgs, sendTxArgs, valueTransferArgs } from "../values/transaction-args.ts";
import { signedTransaction } from "../values/wire-types.ts";

/** A wallet as `personal_listWallets` shows it. */
export interface WalletDescription {
  readonly url: string;
  readonly status: string;
  readonly failure?: string;
  readonly accounts?: readonly { readonly address: string; readonly url: string }[];
}

const secret = required(passphrase, "Passphrase of the key; decrypted for this call only.");
const account = required(address, "Account whose key is used.");
const url = required(string, "URL of the wallet, as `personal_listWallets` shows it.");
const key = required(privateKey, "Private key: 64 hex digits, or a wallet key of 110 characters.");
const tx = required(sendTxArgs, "The transaction.");

/** The keystore, and signing with its keys. */
export const personal = {
  listAccounts: method({
    summary: "Addresses of all accounts in all wallets.",
    params: {},
    result: list(address),
    scope: "keys",
  }),
  listWallets: method({
    summary:
      "All wallets with their accounts and status: `Locked`, `Unlocked`, or what the device reports; `failure` says why one cannot be used.",
    params: {},
    result: wire<readonly WalletDescription[]>("Wallets", { type: "array", items: { type: "object" } }),
    scope: "keys",
  }),
  newAccount: method({
    summary:
      "Generates a key and stores it, encrypted, in the keystore. Without a passphrase the empty one is used.",
    params: { passphrase: optional(newPassphrase, "Passphrase that encrypts the key.") },
    result: address,
    scope: "keys",
  }),
  importRawKey: method({
    summary: "Stores a private key, encrypted, in the keystore.",
    params: { key, passphrase: required(newPassphrase, "Passphrase that encrypts the key.") },
    result: address,
    scope: "keys",
    example: {
      params: ["4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318", "secret"],
      result: "0x2c7536e3605d9c16a7a3d7b1898e529396a65c23",
    },
  }),
  replaceRawKey: method({
    summary: "Replaces the key of an account in the keystore.",
    params: {
      key,
      passphrase: required(passphrase, "Passphrase of the old key."),
      newPassphrase: required(newPassphrase, "Passphrase that encrypts the new key."),
    },
    result: address,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  unlockAccount: method({
    summary: "Keeps the decrypted key of an account in memory for some time; false when that fails.",
    params: {
      address: account,
      passphrase: required(passphrase, "Passphrase of the key."),
      duration: optional(uint64, "Seconds; default 300; 0 = until the node stops."),
    },
    result: boolean,
    scope: "keys",
  }),
  lockAccount: method({
    summary: "Removes a decrypted key from memory. false when the account is not in the keystore.",
    params: { address: account },
    result: boolean,
    scope: "keys",
  }),
  openWallet: method({
    summary:
      "Opens a hardware wallet. One that needs a secret fails with the error `trezor: pin needed` or `trezor: " +
      "passphrase needed`; call again with it.",
    params: {
      url,
      passphrase: optional(passphrase, "The passphrase, or the positions of the PIN's digits on the keypad."),
    },
    result: nothing,
    scope: "keys",
  }),
  deriveAccount: method({
    summary: "The account of a hardware wallet at a derivation path.",
    params: {
      url,
      path: required(string, "Derivation path: `m/44'/8217'/0'/0/0`, or relative to the wallet's base path."),
      pin: optional(boolean, "Whether the wallet keeps listing the account and signs with it."),
    },
    result: address,
    scope: "keys",
  }),
  sign: method({
    summary: "Signs a message with the node's message prefix.",
    params: { message: required(message, "Message to sign."), address: account, passphrase: secret },
    result: bytes,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  ecRecover: method({
    summary: "Address whose key signed a message.",
    params: {
      message: required(message, "The message."),
      signature: required(bytes, "The signature: r, s and v (27 or 28), 65 bytes."),
    },
    result: address,
    scope: "chain",
  }),
  sendTransaction: method({
    summary: "Signs a transaction of any type and adds it to the pool.",
    params: { tx, passphrase: secret },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  signAndSendTransaction: method({
    summary: "The older name of `personal_sendTransaction`.",
    params: { tx, passphrase: secret },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  signTransaction: method({
    summary: "Signs a transaction of any type.",
    params: { tx, passphrase: secret },
    result: signedTransaction,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  sendTransactionAsFeePayer: method({
    summary: "Signs a transaction as its fee payer and adds it to the pool.",
    params: { tx, passphrase: secret },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  signTransactionAsFeePayer: method({
    summary: "Signs a transaction as its fee payer.",
    params: { tx, passphrase: secret },
    result: signedTransaction,
    scope: "keys",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  sendValueTransfer: method({
    summary: "Signs a TxTypeValueTransfer and adds it to the pool.",
    params: { tx: required(valueTransferArgs, "The transfer."), passphrase: secret },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
  sendAccountUpdate: method({
    summary: "Signs a TxTypeAccountUpdate, which gives the account a new key, and adds it to the pool.",
    params: { tx: required(accountUpdateArgs, "The update."), passphrase: secret },
    result: hash,
    scope: "send",
    errors: [UNKNOWN_ACCOUNT, WRONG_PASSPHRASE],
  }),
};
