import { keccak256Of } from "../protocol/crypto/keccak.ts";
import type { EcdsaSignature } from "../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, concat, type Hash } from "../protocol/primitives/bytes.ts";

/** Network name in the prefix of signed messages. */
export type PrefixName = "Klaytn" | "Ethereum";

/** A message to sign. */
export interface SignableMessage {
  readonly text: Uint8Array;
  readonly name: PrefixName;
}

/** 65 bytes: r ‖ s ‖ v, where v is 27 or 28. */
export type MessageSignature = Uint8Array;

const PREFIXES: Readonly<Record<PrefixName, Uint8Array>> = {
  Klaytn: prefix("Klaytn"),
  Ethereum: prefix("Ethereum"),
};

/** Hash of a prefixed message; the prefix keeps it from being a valid transaction. @see EIP-191 */
export function messageHash({ text, name }: SignableMessage): Hash {
  return keccak256Of(PREFIXES[name], ascii(String(text.length)), text);
}

/** Encodes the signature of a message. */
export function messageSignature({ r, s, parity }: EcdsaSignature): MessageSignature {
  return concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32), Uint8Array.of(27 + parity));
}

function prefix(name: PrefixName): Uint8Array {
  return ascii(`\x19${name} Signed Message:\n`);
}

function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
