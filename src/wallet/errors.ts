import { NodeError } from "../protocol/primitives/errors.ts";

/** Fixed error texts, those of the reference node. */
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

/** Codes of wallet errors; the texts of those not in `WALLET_TEXTS` vary. */
export type WalletErrorCode =
  | keyof typeof WALLET_TEXTS
  | "AMBIGUOUS_ADDRESS"
  | "CALLER_GONE"
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

/** A wallet refused or failed. */
export class WalletError extends NodeError<WalletErrorCode> {
  override name = "WalletError";
}

/** An error with a fixed text. */
export function walletError(code: keyof typeof WALLET_TEXTS): WalletError {
  return new WalletError(code, WALLET_TEXTS[code]);
}

/** Too many callers are waiting already; nothing is known of the passphrase, and the caller may try again. */
export function kdfBusy(): WalletError {
  return new WalletError("KDF_BUSY", "busy: too many passphrases are being checked");
}

/** The caller has left, or the node is stopping. */
export function callerGone(): WalletError {
  return new WalletError("CALLER_GONE", "aborted: the caller has disconnected, or the node is stopping");
}
