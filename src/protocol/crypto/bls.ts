import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bigintToFixedBytes, bytesToBigint, concat } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { LruMap } from "../primitives/lru.ts";
import { GROUP_ORDER, KEY_BYTES, POSSESSION_TAG, SIGNATURE_BYTES, SIGNATURE_TAG } from "./bls-constants.ts";
import type { Bls } from "./bls-interface.ts";
import { createMclBls } from "./bls-mcl.ts";
import { loadNativeBls } from "./bls-native.ts";
import { hasMcl } from "./mcl/functions.ts";

export { isBlsSecretKey } from "./bls-constants.ts";
export type { Bls, SignedMessage } from "./bls-interface.ts";

const KEY_GEN_BYTES = 48;
/** Number of proofs of possession whose results are cached. */
const PROOFS = 1_024;

let loading: Promise<Bls> | undefined;

/**
 * The scheme's operations: signatures with a native library if its binary loads; everything else with
 * WebAssembly, replaced by JavaScript in browsers. Loaded at the first call, since most nodes never need it.
 */
export function loadBls(): Promise<Bls> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Bls> {
  const all = hasMcl() ? createMclBls() : await loadPortableBls();
  return { ...rememberingProofs(all), ...loadNativeBls() };
}

/** Checks each proof of possession once per process: registries list the same keys with each change. */
export function rememberingProofs(bls: Bls): Bls {
  const known = new LruMap<string, boolean>(PROOFS);
  return {
    ...bls,
    verifyPossession(proof, publicKey) {
      if (proof.length !== SIGNATURE_BYTES || publicKey.length !== KEY_BYTES) return false;
      const name = bytesToHex(concat(proof, publicKey));
      let isRight = known.get(name);
      if (isRight === undefined) {
        isRight = bls.verifyPossession(proof, publicKey);
        known.set(name, isRight);
      }
      return isRight;
    },
  };
}

/** The scheme's operations in JavaScript alone. */
export async function loadPortableBls(): Promise<Bls> {
  return createBls(await import("@noble/curves/bls12-381.js"));
}

/**
 * Derives a secret key from key material, as nodes do from their node key.
 * @param material - at least 32 bytes of entropy
 * @see KeyGen in the IETF draft, section 2.3
 */
export function blsSecretKey(material: Uint8Array): Uint8Array {
  const input = concat(material, Uint8Array.of(0));
  const length = Uint8Array.of(0, KEY_GEN_BYTES);
  let salt: Uint8Array = new TextEncoder().encode("BLS-SIG-KEYGEN-SALT-");
  for (;;) {
    salt = sha256(salt);
    const secret = bytesToBigint(hkdf(sha256, input, salt, length, KEY_GEN_BYTES)) % GROUP_ORDER;
    if (secret !== 0n) return bigintToFixedBytes(secret, 32);
  }
}

type Curve = typeof import("@noble/curves/bls12-381.js");

function createBls({ bls12_381 }: Curve): Bls {
  const scheme = bls12_381.longSignatures;
  const publicKey = (secretKey: Uint8Array): Uint8Array => scheme.getPublicKey(secretKey).toBytes();
  const sign = (message: Uint8Array, secretKey: Uint8Array, tag: Uint8Array): Uint8Array =>
    scheme.sign(scheme.hash(message, tag), secretKey).toBytes();
  const verify = (signature: Uint8Array, message: Uint8Array, key: Uint8Array, tag: Uint8Array): boolean => {
    try {
      return scheme.verify(signature, scheme.hash(message, tag), key);
    } catch {
      return false;
    }
  };
  return {
    publicKey,
    sign: (message, secretKey) => sign(message, secretKey, SIGNATURE_TAG),
    verify: (signature, message, key) => verify(signature, message, key, SIGNATURE_TAG),
    provePossession: (secretKey) => sign(publicKey(secretKey), secretKey, POSSESSION_TAG),
    verifyPossession: (proof, key) => verify(proof, key, key, POSSESSION_TAG),
  };
}
