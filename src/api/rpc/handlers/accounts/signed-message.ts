import { addressOfPublicKey, recoverPublicKey } from "../../../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import {
  type MessageSignature,
  messageHash,
  type SignableMessage,
} from "../../../../wallet/signed-message.ts";
import { refused } from "../../engine/errors.ts";

/**
 * Address whose key signed a message.
 * @throws RpcError -32000 with the reference's texts
 */
export function recoverMessage(message: SignableMessage, signature: MessageSignature): Address {
  if (signature.length !== 65) throw refused("signature must be 65 bytes long");
  const v = signature[64];
  const whose = message.name === "Klaytn" ? "Klaytn signature" : "signature";
  if (v !== 27 && v !== 28) throw refused(`invalid ${whose} (V is not 27 or 28)`);
  try {
    return addressOfPublicKey(recoverPublicKey(messageHash(message), signature.subarray(0, 64), v - 27));
  } catch {
    throw refused("recovery failed");
  }
}
