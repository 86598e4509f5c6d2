import { signingPayload } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { createTransaction } from "../../protocol/transaction/value.ts";
import { WalletError } from "../errors.ts";
import type { SignableMessage } from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";

/** The error for what a device or its app cannot sign. @param signer - `Ledger's Klaytn app`, `Trezor` */
export function cannotSign(signer: string, what: string): WalletError {
  return new WalletError("CANNOT_SIGN", `not supported: ${signer} cannot sign ${what}`);
}

/**
 * The transaction of a request, without signatures, for the sender to sign: no device signs as fee payer.
 * @throws WalletError `CANNOT_SIGN`
 */
export function senderTransaction({ tx, role, chainId }: TransactionRequest, signer: string): Transaction {
  if (role === "feePayer") throw cannotSign(signer, `${tx.type.name} as fee payer`);
  if (tx.chainId !== undefined && tx.chainId !== 0n && tx.chainId !== chainId)
    throw cannotSign(signer, `for chain ${tx.chainId}: this is chain ${chainId}`);
  return createTransaction({ ...tx, signatures: [] });
}

/** The bytes that a device shows to its user, and whose hash it signs. */
export function payloadToSign(request: TransactionRequest, signer: string): Uint8Array {
  return signingPayload(senderTransaction(request, signer), request.chainId);
}

/** The text of a message with Ethereum's prefix, the only one that devices support. @throws WalletError `CANNOT_SIGN` */
export function ethereumText({ text, name }: SignableMessage, signer: string): Uint8Array {
  if (name !== "Ethereum") throw cannotSign(signer, `messages with the prefix "${name} Signed Message"`);
  return text;
}
