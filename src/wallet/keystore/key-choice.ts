import { Role } from "../../protocol/account/key.ts";
import { type EcdsaSignature, sign, signBytes } from "../../protocol/crypto/secp256k1.ts";
import { walletError } from "../errors.ts";
import { type MessageSignature, messageHash, type SignableMessage } from "../signed-message.ts";
import { hashToSign, keyRoleOf, type TransactionRequest } from "../transaction-request.ts";
import type { PrivateKeys } from "./private-keys.ts";

type Keyring = Pick<PrivateKeys, "keyring">;

/** The first transaction key, for anything with a single signature, such as messages. @throws WalletError `NO_KEY` */
export function firstKey({ keyring }: Keyring): Uint8Array {
  const key = keyring[Role.transaction]?.[0];
  if (key === undefined) throw walletError("NO_KEY");
  return key;
}

/** Signs a message with the first transaction key. @throws WalletError `NO_KEY` */
export function signMessage(keys: Keyring, message: SignableMessage): MessageSignature {
  const signature = signBytes(messageHash(message), firstKey(keys));
  signature[64] = (signature[64] as number) + 27;
  return signature;
}

/**
 * Signs a transaction with all keys of the required role. Where the file has none for the role, those of role 0 sign,
 * as with role-based account keys; Ethereum transaction types take one signature, by the first key.
 * @throws WalletError `NO_KEY`
 */
export function signWith(keys: Keyring, request: TransactionRequest): readonly EcdsaSignature[] {
  const hash = hashToSign(request);
  return keysFor(keys, request).map((key) => sign(hash, key));
}

function keysFor(keys: Keyring, request: TransactionRequest): readonly Uint8Array[] {
  const first = firstKey(keys);
  if (request.tx.type.ethereum) return [first];
  const ofRole = keys.keyring[keyRoleOf(request)] ?? [];
  return ofRole.length > 0 ? ofRole : (keys.keyring[Role.transaction] as readonly Uint8Array[]);
}
