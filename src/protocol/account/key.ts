import { equalBytes } from "../primitives/bytes.ts";

/** Leaves the key of a role as it is; only inside a role-based update. */
export interface NilKey {
  readonly type: "nil";
}
/** Signatures must recover to the account's own address. */
export interface LegacyKey {
  readonly type: "legacy";
}
/** One fixed public key, 33 bytes. */
interface PublicKey {
  readonly type: "public";
  readonly publicKey: Uint8Array;
}
/** Never validates; the key of contracts. */
export interface FailKey {
  readonly type: "fail";
}
/** Signers whose weights sum up to the threshold. Weights and threshold are below 2⁶⁴. */
export interface MultisigKey {
  readonly type: "weightedMultisig";
  readonly threshold: bigint;
  readonly keys: readonly WeightedKey[];
}

/** A public key (33 bytes, compressed) and what its signature weighs. */
export interface WeightedKey {
  readonly weight: bigint;
  readonly publicKey: Uint8Array;
}
/** One key per role, by the index of the role. A role without a key uses that of role 0. */
export interface RoleBasedKey {
  readonly type: "roleBased";
  readonly keys: readonly AccountKey[];
}

/**
 * Account keys, as in the state trie. Public keys are 33-byte compressed points of secp256k1.
 * @see https://docs.kaia.io/learn/accounts/ (account key)
 */
export type AccountKey = NilKey | LegacyKey | PublicKey | FailKey | MultisigKey | RoleBasedKey;

/** What a signature is for; index into the keys of a role-based key. */
export const Role = { transaction: 0, accountUpdate: 1, feePayer: 2 } as const;
export type Role = (typeof Role)[keyof typeof Role];

/** Number on the wire and in JSON of each key type. */
export const KEY_TYPE_CODES = {
  nil: 0,
  legacy: 1,
  public: 2,
  fail: 3,
  weightedMultisig: 4,
  roleBased: 5,
} as const satisfies Record<AccountKey["type"], number>;

/** Key types by their number. */
export const KEY_TYPES = Object.keys(KEY_TYPE_CODES) as readonly AccountKey["type"][];

/** The keys without content: none, the one the address derives from, the one that can never sign. */
export const NIL_KEY: NilKey = { type: "nil" };
export const LEGACY_KEY: LegacyKey = { type: "legacy" };
export const FAIL_KEY: FailKey = { type: "fail" };

/** The key that signs for a role: that of the role, else that of role 0; keys of other types serve every role. */
export function keyOfRole(key: AccountKey, role: Role): AccountKey {
  return key.type === "roleBased" ? (key.keys[role] ?? key.keys[Role.transaction] ?? NIL_KEY) : key;
}

/** Whether two keys are the same. */
export function equalKeys(a: AccountKey, b: AccountKey): boolean {
  if (a === b) return true;
  if (a.type === "public") return b.type === "public" && equalBytes(a.publicKey, b.publicKey);
  if (a.type === "weightedMultisig") return b.type === "weightedMultisig" && equalMultisig(a, b);
  if (a.type !== "roleBased" || b.type !== "roleBased") return a.type === b.type;
  return a.keys.length === b.keys.length && a.keys.every((key, i) => equalKeys(key, b.keys[i] as AccountKey));
}

function equalMultisig(a: MultisigKey, b: MultisigKey): boolean {
  if (a.threshold !== b.threshold || a.keys.length !== b.keys.length) return false;
  return a.keys.every(({ weight, publicKey }, i) => {
    const other = b.keys[i] as WeightedKey;
    return weight === other.weight && equalBytes(publicKey, other.publicKey);
  });
}
