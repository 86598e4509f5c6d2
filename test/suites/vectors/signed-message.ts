import { recoverMessage } from "../../../src/api/rpc/handlers/accounts/signed-message.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import {
  addressOfPublicKey,
  compressPublicKey,
  publicKeyOf,
  sign,
} from "../../../src/protocol/crypto/secp256k1.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { messageHash, messageSignature } from "../../../src/wallet/signed-message.ts";
import { casesOf, same } from "./vector-case.ts";

/** signed-message.json: hashing, signing and recovering messages under both prefixes. */
export const signedMessage = casesOf((vector) => {
  const text = hexToBytes(vector.message);
  const message = { text, name: vector.prefix };
  const privateKey = hexToBytes(vector.privateKey);
  const publicKey = publicKeyOf(privateKey);
  same(hex(keccak256(text)), vector.keccak256, "keccak256");
  same(`0x04${hex(publicKey).slice(2)}`, vector.publicKey, "publicKey");
  same(hex(compressPublicKey(publicKey)), vector.compressedPublicKey, "compressedPublicKey");
  same(hex(addressOfPublicKey(publicKey)), vector.address, "address");
  const hash = messageHash(message);
  same(hex(hash), vector.hash, "hash");
  const signature = messageSignature(sign(hash, privateKey));
  same(hex(signature), vector.signature, "signature");
  same(hex(recoverMessage(message, signature)), vector.address, "recovered");
});
