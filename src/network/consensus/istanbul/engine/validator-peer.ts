import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";

/** A message of a validator as it goes from node to node. */
export interface PassedMessage {
  /** Hash of the parent as the sender names it; nobody checks it. */
  readonly previousHash: Hash;
  /** What `decodeEnvelope` reads. */
  readonly payload: Uint8Array;
}

/** A connected consensus node. One object for each connection. */
export interface ValidatorPeer {
  /** Of its node's key. */
  readonly address: Address;
  /** Hands a message over; one that does not fit into what the peer has yet to read is lost. */
  send(message: PassedMessage): void;
}
