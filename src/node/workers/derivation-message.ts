import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import type { KeyDerivation } from "../../wallet/keystore/key-derivation.ts";

/** What a process needs to derive one key. */
export interface DerivationMessage {
  readonly how: KeyDerivation;
  readonly secret: Uint8Array;
  /** As many bytes as the key: it comes back XORed with them, so that no buffer in between reveals it. */
  readonly mask: Uint8Array;
}

const HEAD_BYTES = 8;

/**
 * Writes a message: the lengths of costs and secret, 4 bytes each, little-endian; the costs as JSON; secret; mask.
 * @returns bytes outside of V8's heap, which the caller wipes
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

/** Reads a message. @param exactly - gives the next bytes of it */
export function readDerivation(exactly: (length: number) => Uint8Array): DerivationMessage {
  const head = exactly(HEAD_BYTES);
  const view = new DataView(head.buffer, head.byteOffset);
  const costs = JSON.parse(new TextDecoder().decode(exactly(view.getUint32(0, true))));
  const secret = exactly(view.getUint32(4, true));
  const how: KeyDerivation = { ...costs, salt: hexToBytes(costs.salt) };
  return { how, secret, mask: exactly(how.dklen) };
}
