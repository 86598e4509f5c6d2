import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import type { KeyDerivation } from "../../wallet/keystore/key-derivation.ts";

/** The input of a process that derives a key. */
export interface DerivationMessage {
  readonly how: KeyDerivation;
  readonly secret: Uint8Array;
  /** As long as the key, which is returned XORed with it, so that no intermediate buffer reveals it. */
  readonly mask: Uint8Array;
}

const HEAD_BYTES = 8;

/**
 * Encodes a message: the lengths of costs and secret, 4 bytes each, little-endian; the costs as JSON; secret; mask.
 * @returns bytes outside the V8 heap, which the caller must wipe
 */
export function writeDerivation({ how, secret, mask }: DerivationMessage): Uint8Array {
  const costs = new TextEncoder().encode(JSON.stringify({ ...how, salt: bytesToHex(how.salt) }));
  const size = HEAD_BYTES + costs.length + secret.length + mask.length;
  const message = new Uint8Array(new ArrayBuffer(size));
  const head = new DataView(message.buffer);
  head.setUint32(0, costs.length, true);
  head.setUint32(4, secret.length, true);
  message.set(costs, HEAD_BYTES);
  message.set(secret, HEAD_BYTES + costs.length);
  message.set(mask, size - mask.length);
  return message;
}

/** Decodes a message. @param exactly - returns its next bytes */
export function readDerivation(exactly: (length: number) => Uint8Array): DerivationMessage {
  const head = exactly(HEAD_BYTES);
  const view = new DataView(head.buffer, head.byteOffset);
  const costs = JSON.parse(new TextDecoder().decode(exactly(view.getUint32(0, true))));
  const secret = exactly(view.getUint32(4, true));
  const how: KeyDerivation = { ...costs, salt: hexToBytes(costs.salt) };
  return { how, secret, mask: exactly(how.dklen) };
}
