import { NodeError } from "../protocol/primitives/errors.ts";

/** The reference node's text of each failure that has a fixed one. */
export const WALLET_TEXTS = {
  UNKNOWN_ACCOUNT: "unknown account",
  UNKNOWN_WALLET: "unknown wallet",
  URL_SCHEME_MISSING: "protocol scheme missing",
  LOCKED: "authentication needed: password or unlock",
  WRONG_PASSPHRASE: "could not decrypt key with given passphrase",
  NO_KEY: "no key for given address or file",
  ACCOUNT_EXISTS: "account already exists",
  NOT_SUPPORTED: "not supported",
  UNLOCK_TOO_LONG: "unlock duration too large",
  ALREADY_OPEN: "wallet already open",
  CLOSED: "wallet closed",
} as const;

/** What can go wrong with wallets; those with a text of their own are not in `WALLET_TEXTS`. */
export type WalletErrorCode =
  | keyof typeof WALLET_TEXTS
  | "AMBIGUOUS_ADDRESS"
  | "ASKER_GONE"
  | "CANNOT_SIGN"
  | "DEVICE_ANSWER"
  | "DEVICE_APP"
  | "DEVICE_FAILED"
  | "DEVICE_GONE"
  | "DEVICE_LOCKED"
  | "DEVICE_REFUSED"
  | "DEVICE_SECRET"
  | "DEVICE_TIMEOUT"
  | "KEY_TEXT"
  | "KEY_FILE"
  | "KEY_FILE_WRITE"
  | "KEY_FOLDER"
  | "KDF_LIMIT"
  | "KDF_BUSY"
  | "DERIVATION_PATH"
  | "MNEMONIC"
  | "SIGNER_ANSWER"
  | "SIGNER_REFUSED"
  | "SIGNER_UNREACHABLE"
  | "TYPED_DATA";

/** A wallet refused or could not do what was asked. */
export class WalletError extends NodeError<WalletErrorCode> {
  override name = "WalletError";
}

/** An error whose text is fixed. */
export function walletError(code: keyof typeof WALLET_TEXTS): WalletError {
  return new WalletError(code, WALLET_TEXTS[code]);
}

/** Too many are before the caller, who may try again; says nothing about a passphrase. */
export function busy(): WalletError {
  return new WalletError("KDF_BUSY", "busy: too many passphrases are being checked");
}

/** The caller has left, so nothing needs to be done any more. */
export function gone(): WalletError {
  return new WalletError("ASKER_GONE", "nobody waits for the answer any more");
}
