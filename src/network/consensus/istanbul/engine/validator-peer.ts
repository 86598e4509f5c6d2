import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";

/** A validator's message as it is sent between nodes. */
export interface PassedMessage {
  /** Hash of the parent as claimed by the sender; nobody checks it. */
  readonly previousHash: Hash;
  /** The bytes that `decodeEnvelope` reads. */
  readonly payload: Uint8Array;
}

/** A connected consensus node; one object per connection. */
export interface ValidatorPeer {
  /** Address of its node key. */
  readonly address: Address;
  /** Sends a message; it is lost if too much is already waiting for the peer to read. */
  send(message: PassedMessage): void;
}
