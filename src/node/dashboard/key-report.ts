import type { KeyReport, RoleReport } from "../../api/rpc/spec/dashboard/desk-wire.ts";
import { type AccountKey, equalKeys, keyOfRole, LEGACY_KEY, type Role } from "../../protocol/account/key.ts";
import { encodeAccountKey } from "../../protocol/account/key-codec.ts";
import { accountKeyFromJson, accountKeyToJson } from "../../protocol/account/key-json.ts";
import { accountKeyCreationGas, updateAccountKey } from "../../protocol/account/key-rules.ts";
import type { Json } from "../../protocol/codec/json/value.ts";
import { addressOfPublicKey, decompressPublicKey } from "../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";

/** Gas of an account update but for its keys: what it costs to be sent, and ten signatures. */
const UPDATE_GAS = 21_000n + 10n * 15_000n;
const ROLES = ["transaction", "account update", "fee payer"] as const;
/** Objects within each other in the JSON of a key: the key, its roles, their lists, entries and points. */
const MOST_DEPTH = 8;

/** What the effect of a key is judged by. */
export interface KeyContext {
  readonly address: Address;
  /** The key that the account has. */
  readonly current: AccountKey | undefined;
  /** Whether this node holds the key of an address. */
  readonly isHeld: (address: Address) => boolean;
}

/** What becomes of an account when it is given a key, without giving it. */
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

/** The same key with the coordinates of public keys that were given compressed, or whole as one text. */
function withPoints(json: Json, depth = 0): Json {
  if (typeof json !== "object" || json === null || depth > MOST_DEPTH) return json;
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

/** What somebody might regret, in words. */
function warningsOf(roles: readonly RoleReport[]): readonly string[] {
  const texts: string[] = [];
  for (const { role, type, held, threshold, keys } of roles) {
    if (type === "fail" && role === "account update")
      texts.push("Nobody will ever be able to change this account's key again.");
    else if (type === "fail") texts.push(`Nobody will be able to sign for the role “${role}”.`);
    else if (held < threshold)
      texts.push(
        held === 0
          ? `Role “${role}”: this node holds none of its keys, so it cannot sign alone.${role === "account update" ? " If you lose the other keys, you cannot change the key back." : ""}`
          : `Role “${role}”: this node holds ${held} of the ${threshold} weights that are needed.`,
      );
    const alone = keys.length > 1 && keys.every(({ weight }) => weight < threshold);
    if (alone && keys.reduce((sum, { weight }) => sum + weight, 0) === threshold)
      texts.push(
        `Role “${role}”: every one of its ${keys.length} keys is needed; whoever loses one locks everybody out.`,
      );
  }
  return texts;
}
