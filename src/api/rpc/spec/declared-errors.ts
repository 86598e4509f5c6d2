import type { DeclaredError } from "./method.ts";

/** A contract reverted; `data` has its output. */
export const REVERTED: DeclaredError = {
  code: 3,
  message: "execution reverted: the reason, if the contract gave one. data: what the contract returned",
};

/** The account's key is encrypted. */
export const LOCKED: DeclaredError = {
  code: -32000,
  message: "authentication needed: password or unlock",
};

/** This node has no key of the account. */
export const UNKNOWN_ACCOUNT: DeclaredError = { code: -32000, message: "unknown account" };

/** A key was not decrypted. */
export const WRONG_PASSPHRASE: DeclaredError = {
  code: -32000,
  message: "could not decrypt key with given passphrase",
};

/** The block does not exist. */
export const NO_BLOCK: DeclaredError = {
  code: -32000,
  message: "the header does not exist (block number: N)",
};

/** The pool or the chain rejects the transaction. */
export const NOT_TAKEN: readonly DeclaredError[] = [
  { code: -32000, message: "nonce too low" },
  { code: -32000, message: "insufficient funds of the sender for value " },
  { code: -32000, message: "replacement transaction underpriced" },
];

/** No filter has this id, or it has expired. */
export const NO_FILTER: DeclaredError = { code: -32000, message: "filter not found" };
