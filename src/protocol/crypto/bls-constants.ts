import { bytesToBigint } from "../primitives/bytes.ts";

/** Bytes of a compressed point of the first group: a public key. */
export const KEY_BYTES = 48;
/** Bytes of a compressed point of the second group: a signature. */
export const SIGNATURE_BYTES = 96;
/** Domain separation tag of signatures. @see IETF draft-irtf-cfrg-bls-signature-05, section 4.2.3 */
export const SIGNATURE_TAG: Uint8Array = new TextEncoder().encode(
  "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
);
/** Domain separation tag of proofs of possession. @see the same */
export const POSSESSION_TAG: Uint8Array = new TextEncoder().encode(
  "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
);
/** Order of both groups: secret keys lie between 0 and this. */
export const GROUP_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Whether bytes are a secret key: 32 bytes, above zero and below the order of the groups. */
export function isBlsSecretKey(bytes: Uint8Array): boolean {
  const value = bytes.length === 32 ? bytesToBigint(bytes) : 0n;
  return value > 0n && value < GROUP_ORDER;
}
