import { isPublicKey } from "../crypto/secp256k1.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { MAX_UINT64 } from "../primitives/integers.ts";
import { AccountKeyError } from "./errors.ts";
import { type AccountKey, type MultisigKey, NIL_KEY, type RoleBasedKey } from "./key.ts";

/** Gas of an account update per public key of the new key. */
const GAS_PER_NEW_KEY = 20_000n;
/** Maximum number of public keys of a multisig key. */
export const MAX_MULTISIG_KEYS = 10;
/** Transaction, account update, fee payer. */
const MAX_ROLES = 3;

/**
 * Checks that a key can be given to an account that had a key of another type.
 * @throws AccountKeyError
 */
export function checkInstallable(key: AccountKey): void {
  if (key.type === "nil") throw new AccountKeyError("KEY_NIL_UNINITIALIZABLE");
  if (key.type === "public" && !isPublicKey(key.publicKey)) throw new AccountKeyError("KEY_NOT_ON_CURVE");
  if (key.type === "weightedMultisig") checkMultisig(key);
  if (key.type === "roleBased") {
    checkRoleCount(key);
    for (const role of key.keys) checkInstallableRole(role);
  }
}

/**
 * The key of an account after an update: `newKey`, except that a role-based key keeps the roles for which the update
 * has a nil key or none.
 * @throws AccountKeyError when the update is not allowed
 */
export function updateAccountKey(oldKey: AccountKey, newKey: AccountKey): AccountKey {
  checkReplaceable(oldKey, newKey);
  if (oldKey.type !== "roleBased" || newKey.type !== "roleBased") return newKey;
  const length = Math.max(oldKey.keys.length, newKey.keys.length);
  const keys = Array.from({ length }, (_, role) => {
    const replacement = newKey.keys[role] ?? NIL_KEY;
    return replacement.type === "nil" ? (oldKey.keys[role] as AccountKey) : replacement;
  });
  return { type: "roleBased", keys };
}

/**
 * Gas that an account update pays for its new keys, on top of its intrinsic gas.
 * @throws AccountKeyError `KEY_TOO_MANY`
 */
export function accountKeyCreationGas(key: AccountKey): bigint {
  if (key.type === "public") return GAS_PER_NEW_KEY;
  if (key.type === "roleBased") return key.keys.reduce((gas, role) => gas + accountKeyCreationGas(role), 0n);
  if (key.type !== "weightedMultisig") return 0n;
  if (key.keys.length > MAX_MULTISIG_KEYS) throw new AccountKeyError("KEY_TOO_MANY");
  return BigInt(key.keys.length) * GAS_PER_NEW_KEY;
}

function checkReplaceable(oldKey: AccountKey, newKey: AccountKey): void {
  if (oldKey.type === "fail" && newKey.type === "fail") throw new AccountKeyError("KEY_FAIL_NOT_UPDATABLE");
  if (oldKey.type === "roleBased" && newKey.type === "roleBased") checkRoleUpdate(oldKey, newKey);
  else checkInstallable(newKey);
}

function checkRoleUpdate(oldKey: RoleBasedKey, newKey: RoleBasedKey): void {
  checkRoleCount(newKey);
  for (const [role, key] of newKey.keys.entries()) {
    const old = oldKey.keys[role];
    if (key.type === "roleBased") throw new AccountKeyError("KEY_NESTED", { role });
    if (old === undefined) checkInstallable(key);
    else if (key.type !== "nil") checkReplaceable(old, key);
  }
}

function checkRoleCount({ keys }: RoleBasedKey): void {
  if (keys.length === 0) throw new AccountKeyError("KEY_ZERO_LENGTH");
  if (keys.length > MAX_ROLES) throw new AccountKeyError("KEY_TOO_LONG", { roles: keys.length });
}

function checkInstallableRole(key: AccountKey): void {
  if (key.type === "roleBased") throw new AccountKeyError("KEY_NESTED");
  checkInstallable(key);
}

/** The order of the checks decides which text a key with several faults gets. */
function checkMultisig({ threshold, keys }: MultisigKey): void {
  if (keys.length === 0) throw new AccountKeyError("KEY_ZERO_LENGTH");
  if (keys.length > MAX_MULTISIG_KEYS) throw new AccountKeyError("KEY_TOO_MANY", { keys: keys.length });
  const seen = new Set<string>();
  let sum = 0n;
  for (const { weight, publicKey } of keys) {
    if (weight === 0n) throw new AccountKeyError("KEY_ZERO_WEIGHT");
    if (!isPublicKey(publicKey)) throw new AccountKeyError("KEY_NOT_SERIALIZABLE");
    const id = bytesToHex(publicKey);
    if (seen.has(id)) throw new AccountKeyError("KEY_DUPLICATED", { publicKey: id });
    seen.add(id);
    sum += weight;
    if (sum > MAX_UINT64) throw new AccountKeyError("KEY_WEIGHT_OVERFLOW");
  }
  if (sum < threshold) throw new AccountKeyError("KEY_UNSATISFIABLE", { sum, threshold });
}
