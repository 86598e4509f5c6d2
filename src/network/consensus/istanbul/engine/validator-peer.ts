import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";

/** A validator's message in its wire format. */
export interface RawConsensusMessage {
  /** Hash of the parent as claimed by the sender; it is not checked. */
  readonly previousHash: Hash;
  /** The bytes that `decodeEnvelope` reads. */
  readonly payload: Uint8Array;
}

/** A connected consensus node; one object per connection. */
export interface ValidatorPeer {
  /** Address of its node key. */
  readonly address: Address;
  /** Sends a message; it is dropped if too many bytes to the peer are unsent. */
  send(message: RawConsensusMessage): void;
}
