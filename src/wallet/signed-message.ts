import { keccak256Of } from "../protocol/crypto/keccak.ts";
import type { Hash } from "../protocol/primitives/bytes.ts";

/** Whose prefix stands in front of signed messages. */
export type MessageName = "Klaytn" | "Ethereum";

/** A message to sign. */
export interface Message {
  readonly text: Uint8Array;
  readonly name: MessageName;
}

/** Hash of a message behind its prefix, which keeps it from being a transaction. @see EIP-191 */
export function messageHash({ text, name }: Message): Hash {
  return keccak256Of(new TextEncoder().encode(`\x19${name} Signed Message:\n${text.length}`), text);
}
