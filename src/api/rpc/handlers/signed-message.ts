import {
  addressOfPublicKey,
  type EcdsaSignature,
  recoverPublicKey,
} from "../../../protocol/crypto/secp256k1.ts";
import { type Address, bigintToFixedBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { type Message, messageHash } from "../../../wallet/signed-message.ts";
import { refused } from "../errors.ts";

/** 65 bytes: r, s and v (27 or 28). */
export function messageSignature({ r, s, parity }: EcdsaSignature): Uint8Array {
  return concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32), Uint8Array.of(27 + parity));
}

/**
 * Address whose key signed a message.
 * @throws RpcError -32000 with the reference's texts
 */
export function recoverMessage(message: Message, signature: Uint8Array): Address {
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
