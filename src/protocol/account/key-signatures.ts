import { addressOfPublicKey, compressPublicKey, decompressPublicKey } from "../crypto/secp256k1.ts";
import type { Rules } from "../params/forks.ts";
import { type Address, equalBytes } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { AccountKeyError } from "./errors.ts";
import { type AccountKey, keyOfRole, type MultisigKey, type Role } from "./key.ts";
import { MAX_MULTISIG_KEYS } from "./key-rules.ts";

/** Gas per signature beyond the first. */
const GAS_PER_SIGNATURE = 15_000n;

/** The fork that changed how multisig keys are validated and charged. */
type MultisigRules = Pick<Rules, "istanbul">;

/**
 * Whether signatures satisfy an account's key.
 * @param role - what the signatures are for; matters to role-based keys alone
 * @param signers - public keys recovered from the signatures, in their order; 64 bytes (x and y, as recovered: the
 * fast form) or 33 bytes (compressed) each
 * @param address - of the account; a legacy key must recover to it
 */
export function validateSigners(
  key: AccountKey,
  role: Role,
  signers: readonly Uint8Array[],
  rules: MultisigRules,
  address: Address,
): boolean {
  const signing = keyOfRole(key, role);
  const first = signers[0];
  if (signing.type === "weightedMultisig") return validateMultisig(signing, signers, rules);
  if (first === undefined || signers.length !== 1) return false;
  if (signing.type === "legacy") return equalBytes(addressOf(first), address);
  if (signing.type === "public") return equalBytes(compressed(first), signing.publicKey);
  return false;
}

/**
 * Whether no account's key can be satisfied by that many signatures, whoever gave them: from istanbul on none may be superfluous, and a
 * key has ten keys at most. Says so without recovering any.
 */
export function areTooManySignatures(count: number, rules: MultisigRules): boolean {
  return rules.istanbul && count > MAX_MULTISIG_KEYS;
}

/**
 * Gas for checking signatures against an account's key, part of the intrinsic gas: 0 for single keys.
 * @throws AccountKeyError when a multisig key has no keys or too many; such a key cannot be installed
 */
export function signatureValidationGas(
  key: AccountKey,
  role: Role,
  signatureCount: number,
  rules: MultisigRules,
): bigint {
  const signing = keyOfRole(key, role);
  if (signing.type !== "weightedMultisig") return 0n;
  const keyCount = signing.keys.length;
  if (keyCount > MAX_MULTISIG_KEYS) throw new AccountKeyError("KEY_TOO_MANY_IN_VALIDATION");
  if (keyCount === 0) throw new AccountKeyError("KEY_ZERO_LENGTH");
  return BigInt((rules.istanbul ? signatureCount : keyCount) - 1) * GAS_PER_SIGNATURE;
}

/** From istanbul on no signature may be superfluous: not more than keys, and each by one of them. */
function validateMultisig(key: MultisigKey, signers: readonly Uint8Array[], rules: MultisigRules): boolean {
  if (rules.istanbul && signers.length > key.keys.length) return false;
  const distinct = new Set(signers.map((signer) => bytesToHex(compressed(signer))));
  let sum = 0n;
  let matched = 0;
  for (const { weight, publicKey } of key.keys) {
    if (!distinct.has(bytesToHex(publicKey))) continue;
    sum += weight;
    matched++;
  }
  if (rules.istanbul && matched < distinct.size) return false;
  return sum >= key.threshold;
}

function compressed(publicKey: Uint8Array): Uint8Array {
  return publicKey.length === 33 ? publicKey : compressPublicKey(publicKey);
}

function addressOf(publicKey: Uint8Array): Address {
  return addressOfPublicKey(publicKey.length === 33 ? decompressPublicKey(publicKey) : publicKey);
}
