import type { KeyReport, RoleReport } from "../../../../api/rpc/spec/dashboard/desk-wire.ts";
import {
  type AccountKey,
  equalKeys,
  keyOfRole,
  LEGACY_KEY,
  type Role,
} from "../../../../protocol/account/key.ts";
import { encodeAccountKey } from "../../../../protocol/account/key-codec.ts";
import { accountKeyFromJson, accountKeyToJson } from "../../../../protocol/account/key-json.ts";
import { accountKeyCreationGas, updateAccountKey } from "../../../../protocol/account/key-rules.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { addressOfPublicKey, decompressPublicKey } from "../../../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";

/** Gas of an account update apart from its keys: the intrinsic cost, and ten signatures. */
const UPDATE_GAS = 21_000n + 10n * 15_000n;
const ROLES = ["transaction", "account update", "fee payer"] as const;
/** Nesting depth of a key in JSON: the key, its roles, their lists, entries and points. */
const MAX_DEPTH = 8;

/** Inputs for judging the effect of a key. */
export interface KeyContext {
  readonly address: Address;
  /** The key that the account has. */
  readonly current: AccountKey | undefined;
  /** Whether this node holds the key of an address. */
  readonly isHeld: (address: Address) => boolean;
}

/** The effect that a key would have on an account, without setting it. */
export function keyReport(json: Json, { address, current = LEGACY_KEY, isHeld }: KeyContext): KeyReport {
  const nothing = { encoded: null, result: null, roles: [], warnings: [], locksOut: false, gas: "0" };
  try {
    const given = accountKeyFromJson(withPoints(json));
    const encoded = bytesToHex(encodeAccountKey(given));
    const result = updateAccountKey(current, given);
    const roles = ROLES.map((name, role) =>
      roleReport(result, current, { name, role: role as Role }, address, isHeld),
    );
    const warnings = warningsOf(roles);
    return {
      ...{ encoded, problem: null, result: accountKeyToJson(result), roles, warnings },
      locksOut: roles.some(
        ({ role, held, threshold, type }) => role !== "fee payer" && (type === "fail" || held < threshold),
      ),
      gas: String(UPDATE_GAS + accountKeyCreationGas(given)),
    };
  } catch (error) {
    if (error instanceof NodeError) return { ...nothing, problem: error.message };
    throw error;
  }
}

/** The same key with coordinates for public keys given in compressed form or as one text. */
function withPoints(json: Json, depth = 0): Json {
  if (typeof json !== "object" || json === null || depth > MAX_DEPTH) return json;
  if (Array.isArray(json)) return json.map((one) => withPoints(one, depth + 1));
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      name === "key" && typeof value === "string" ? pointOf(value) : withPoints(value, depth + 1),
    ]),
  );
}

function pointOf(text: string): Json {
  const bytes = hexToBytes(text.startsWith("0x") ? text : `0x${text}`);
  const point =
    bytes.length === 33 ? decompressPublicKey(bytes) : bytes.subarray(bytes.length === 65 ? 1 : 0);
  return { x: bytesToHex(point.subarray(0, 32)), y: bytesToHex(point.subarray(32)) };
}

function roleReport(
  key: AccountKey,
  current: AccountKey,
  { name, role }: { name: string; role: Role },
  address: Address,
  isHeld: KeyContext["isHeld"],
): RoleReport {
  const own = keyOfRole(key, role);
  const keys = signersOf(own, address).map((one) => ({ ...one, isHeld: isHeld(one.account) }));
  const sum = (some: typeof keys): number => some.reduce((weights, { weight }) => weights + weight, 0);
  return {
    ...{ role: name, type: own.type },
    threshold: own.type === "weightedMultisig" ? Number(own.threshold) : 1,
    total: sum(keys),
    held: sum(keys.filter((one) => one.isHeld)),
    keys: keys.map(({ publicKey, account, weight, isHeld }) => ({
      ...{ publicKey: publicKey === undefined ? null : bytesToHex(publicKey), weight, isHeld },
      address: bytesToHex(account),
    })),
    isUnchanged: equalKeys(own, keyOfRole(current, role)),
  };
}

interface Signer {
  readonly publicKey: Uint8Array | undefined;
  readonly account: Address;
  readonly weight: number;
}

function signersOf(key: AccountKey, address: Address): readonly Signer[] {
  const signer = (publicKey: Uint8Array, weight: bigint): Signer => ({
    ...{ publicKey, weight: Number(weight) },
    account: addressOfPublicKey(decompressPublicKey(publicKey)),
  });
  if (key.type === "public") return [signer(key.publicKey, 1n)];
  if (key.type === "weightedMultisig")
    return key.keys.map(({ publicKey, weight }) => signer(publicKey, weight));
  return key.type === "legacy" ? [{ publicKey: undefined, account: address, weight: 1 }] : [];
}

/** Warnings in words; roles with the same warning are named together. */
function warningsOf(roles: readonly RoleReport[]): readonly string[] {
  const texts: string[] = [];
  const [update, ...others] = [...roles].sort((a, b) => rank(a) - rank(b)) as [RoleReport, ...RoleReport[]];
  if (update.type === "fail") texts.push("Nobody will ever be able to change this account's key again.");
  else if (update.held === 0 && update.threshold > 0)
    texts.push(
      "This node holds no key that could change the account's key back: if you lose the others, it stays as it is.",
    );
  const byText = new Map<string, string[]>();
  for (const one of [...others, update])
    for (const text of faultsOf(one)) byText.set(text, [...(byText.get(text) ?? []), one.role]);
  for (const [text, names] of byText)
    texts.push(`${names.length === roles.length ? "All roles" : names.join(" and ")}: ${text}`);
  return texts;
}

function rank({ role }: RoleReport): number {
  return role === "account update" ? 0 : 1;
}

function faultsOf({ role, type, held, threshold, total, keys }: RoleReport): readonly string[] {
  if (type === "fail") return role === "account update" ? [] : ["nobody will be able to sign."];
  const texts: string[] = [];
  if (held === 0) texts.push("this node holds none of the keys, so it cannot sign alone.");
  else if (held < threshold) texts.push(`this node holds a weight of ${held} of the required ${threshold}.`);
  if (keys.length > 1 && total === threshold)
    texts.push(`every one of the ${keys.length} keys is needed; losing one locks everybody out.`);
  return texts;
}
