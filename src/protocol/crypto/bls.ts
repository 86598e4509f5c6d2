import { hkdf } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bigintToFixedBytes, bytesToBigint, concat } from "../primitives/bytes.ts";
import type { Bls } from "./bls-interface.ts";
import { loadNativeBls } from "./bls-native.ts";

export type { Bls, SignedMessage } from "./bls-interface.ts";

const SIGNATURE_TAG = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const POSSESSION_TAG = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
const GROUP_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const KEY_GEN_BYTES = 48;

let loading: Promise<Bls> | undefined;

/**
 * The scheme's operations, by a native library where its binary loads. Loaded at the first call, since most nodes never
 * need it.
 */
export function loadBls(): Promise<Bls> {
  loading ??= loadPortableBls().then((portable) => ({ ...portable, ...loadNativeBls() }));
  return loading;
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
  const sign = (message: Uint8Array, secretKey: Uint8Array, tag: string): Uint8Array =>
    scheme.sign(scheme.hash(message, tag), secretKey).toBytes();
  const verify = (signature: Uint8Array, message: Uint8Array, key: Uint8Array, tag: string): boolean => {
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
