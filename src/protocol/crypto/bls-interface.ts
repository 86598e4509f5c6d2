/** A signature (96 bytes), the message it signs, and the public key (48 bytes) claimed to have made it. */
export interface SignedMessage {
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
  readonly publicKey: Uint8Array;
}

/**
 * BLS signatures on BLS12-381 with public keys in G1 (48 bytes), signatures in G2 (96 bytes), proof-of-possession
 * scheme; secret keys are 32 bytes, big-endian.
 * @see IETF draft-irtf-cfrg-bls-signature-05
 */
export interface Bls {
  /** @throws Error when the secret key is zero or too large */
  publicKey(secretKey: Uint8Array): Uint8Array;
  sign(message: Uint8Array, secretKey: Uint8Array): Uint8Array;
  /** False also for malformed signatures and keys, and for the point at infinity. */
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
  /**
   * Whether all of several signatures verify, at half the cost of `verify` on each: they are combined with random factors, so that
   * invalid ones pass with a probability of 2⁻⁶⁴. Absent where that saves nothing.
   * @see https://ethresear.ch/t/fast-verification-of-multiple-bls-signatures/5407
   */
  verifyAll?(signed: readonly SignedMessage[]): boolean;
  /** Proof of possession: a signature over the own public key, which proves to a registry that its owner has the secret key. */
  provePossession(secretKey: Uint8Array): Uint8Array;
  /** False as `verify`. */
  verifyPossession(proof: Uint8Array, publicKey: Uint8Array): boolean;
}
