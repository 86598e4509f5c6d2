import { concat } from "../primitives/bytes.ts";
import type { Secp256k1Backend } from "./secp256k1-interface.ts";

/** The module of `@noble/curves`, passed in so that it is loaded only when needed. */
export type NobleModule = typeof import("@noble/curves/secp256k1.js");

/** Operations of the portable library. */
export function nobleBackend({ secp256k1 }: NobleModule): Secp256k1Backend {
  const { Point } = secp256k1;
  return {
    name: "noble",
    sign(hash, privateKey) {
      const raw = secp256k1.sign(hash, privateKey, { prehash: false, format: "recovered" });
      return concat(raw.subarray(1), Uint8Array.of((raw[0] as number) & 1));
    },
    recover(hash, signature, recid) {
      const point = secp256k1.recoverPublicKey(concat(Uint8Array.of(recid), signature), hash, {
        prehash: false,
      });
      return Point.fromBytes(point).toBytes(false);
    },
    verify(hash, signature, publicKey) {
      try {
        return secp256k1.verify(signature, hash, publicKey, { prehash: false });
      } catch {
        return false;
      }
    },
    publicKey: (privateKey) => secp256k1.getPublicKey(privateKey, false),
    decompress: (publicKey) => Point.fromBytes(publicKey).toBytes(false),
    isPublicKey: (publicKey) => secp256k1.utils.isValidPublicKey(publicKey),
    isPrivateKey: (privateKey) => secp256k1.utils.isValidSecretKey(privateKey),
    sharedSecret: (privateKey, publicKey) => secp256k1.getSharedSecret(privateKey, publicKey).subarray(1),
  };
}
