/** Operations on secp256k1 over plain bytes; every implementation gives the same results. */
export interface Secp256k1Backend {
  readonly name: "native" | "noble";
  /** r ‖ s ‖ parity (65 bytes) of a deterministic signature (RFC 6979, low s). */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** 65-byte public key of a signature over `hash`. @throws Error when there is none */
  recover(hash: Uint8Array, signature: Uint8Array, recid: number): Uint8Array;
  /** Whether a signature with low s is by the holder of a public key. */
  verify(hash: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean;
  /** 65-byte public key of a private key. @throws Error when the private key is zero or too large */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** 65-byte form of a public key of 33 or 65 bytes. @throws Error when it is not on the curve */
  decompress(publicKey: Uint8Array): Uint8Array;
  isPublicKey(publicKey: Uint8Array): boolean;
  isPrivateKey(privateKey: Uint8Array): boolean;
  /** x of `privateKey` times the point. @throws Error when either is invalid */
  sharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array;
}
